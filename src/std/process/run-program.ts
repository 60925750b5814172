import { spawn } from "node:child_process";
import { systemClock } from "../time/clock.ts";

/** Runs a program to its end and returns its output; throws ProgramError if it fails. */
export type RunProgram = (
  program: string,
  args: readonly string[],
  input?: string,
  limits?: ProgramLimits,
) => Promise<string>;

/** When a program is given up: it is killed, and not waited for, as it may hang in the kernel. */
interface ProgramLimits {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** A program that could not be started or ended with a failure. */
export class ProgramError extends Error {
  override readonly name = "ProgramError";
  /** Undefined if it did not exit by itself. */
  readonly exitCode: number | undefined;
  readonly stderr: string;
  /** The output of a program that exited by itself. */
  readonly stdout: string;

  constructor(
    program: string,
    exitCode: number | undefined,
    stderr: string,
    { cause, stdout = "" }: { readonly cause?: unknown; readonly stdout?: string } = {},
  ) {
    const reason = stderr.trim() || (cause instanceof Error ? cause.message : "no output");
    const code = exitCode === undefined ? "failed" : `exited with status ${exitCode}`;
    super(`${program} ${code}: ${reason}`, { cause });
    this.exitCode = exitCode;
    this.stderr = stderr;
    this.stdout = stdout;
  }
}

/** Runs programs of this machine, found in PATH and in the folders of administration programs. */
export const runProgram: RunProgram = (program, args, input = "", { timeoutMs, signal } = {}) =>
  new Promise((resolve, reject) => {
    const env = { ...process.env, PATH: `${process.env["PATH"] ?? ""}:/usr/sbin:/sbin` };
    const child = spawn(program, args, { env, stdio: ["pipe", "pipe", "pipe"] });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
    const errors = (): string => Buffer.concat(stderr).toString();
    const giveUp = (cause: unknown): void => {
      child.kill("SIGKILL");
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
      child.unref();
      reject(new ProgramError(program, undefined, errors(), { cause }));
    };
    const timedOut = () => giveUp(new Error(`timed out after ${(timeoutMs ?? 0) / 1000}s`));
    const timer = timeoutMs === undefined ? undefined : systemClock.setTimer(timeoutMs, timedOut);
    const aborted = () => giveUp(signal?.reason);
    signal?.addEventListener("abort", aborted, { once: true });
    const end = (): void => {
      timer?.cancel();
      signal?.removeEventListener("abort", aborted);
    };
    child.on("error", (error) => {
      end();
      reject(new ProgramError(program, undefined, errors(), { cause: error }));
    });
    child.on("close", (code) => {
      end();
      const output = Buffer.concat(stdout).toString();
      if (code === 0) resolve(output);
      else reject(new ProgramError(program, code ?? undefined, errors(), { stdout: output }));
    });
    // A program that exits early leaves its input unread; its exit status has the reason.
    child.stdin.on("error", () => undefined);
    if (signal?.aborted) aborted();
    else child.stdin.end(input);
  });
