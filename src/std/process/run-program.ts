import { spawn } from "node:child_process";

/** Runs a program to its end and returns its output; throws ProgramError if it fails. */
export type RunProgram = (
  program: string,
  args: readonly string[],
  input?: string,
) => Promise<string>;

/** A program that could not be started or ended with a failure. */
export class ProgramError extends Error {
  override readonly name = "ProgramError";
  /** Undefined if it did not exit by itself. */
  readonly exitCode: number | undefined;
  readonly stderr: string;

  constructor(program: string, exitCode: number | undefined, stderr: string, cause?: unknown) {
    const reason = stderr.trim() || (cause instanceof Error ? cause.message : "no output");
    const code = exitCode === undefined ? "failed" : `exited with status ${exitCode}`;
    super(`${program} ${code}: ${reason}`, { cause });
    this.exitCode = exitCode;
    this.stderr = stderr;
  }
}

/** Runs programs of this machine, found in PATH and in the folders of administration programs. */
export const runProgram: RunProgram = (program, args, input = "") =>
  new Promise((resolve, reject) => {
    const env = { ...process.env, PATH: `${process.env["PATH"] ?? ""}:/usr/sbin:/sbin` };
    const child = spawn(program, args, { env, stdio: ["pipe", "pipe", "pipe"] });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
    const errors = (): string => Buffer.concat(stderr).toString();
    child.on("error", (error) => reject(new ProgramError(program, undefined, errors(), error)));
    child.on("close", (code) => {
      if (code === 0) resolve(Buffer.concat(stdout).toString());
      else reject(new ProgramError(program, code ?? undefined, errors()));
    });
    // A program that exits early leaves its input unread; its exit status has the reason.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
  });
