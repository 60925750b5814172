import { spawn } from "node:child_process";
import { join } from "node:path";
import { nextTurn } from "#/std/time/clock.ts";

/** How a command in a machine ended. */
export interface Outcome {
  readonly code: number;
  /** Standard output and error output, in the order of arrival. */
  readonly output: string;
}

export interface RunOptions {
  readonly input?: string | Buffer;
  /** Limit of the command (ms): a machine may be emulated, and its host busy. */
  readonly timeoutMs?: number;
}

/** A command ended with another code than 0. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  constructor(command: string, outcome: Outcome) {
    super(`exit code ${outcome.code}: ${command}\n${outcome.output}`);
  }
}

/**
 * A virtual machine of a kit: a folder with the programs start, run, restart and stop, which find the machine's name
 * in VM, its Debian release in SUITE and its kind in KIND (see README.md).
 */
export class Machine {
  readonly kit: string;
  /** One letter. */
  readonly id: string;
  readonly suite: string;

  constructor(kit: string, id: string, suite: string) {
    this.kit = kit;
    this.id = id;
    this.suite = suite;
  }

  /** Starts it; a new disk if it has none. */
  start(): Promise<Outcome> {
    return this.#must("start", [], { timeoutMs: 900_000 });
  }

  /** Reboots it as `systemctl reboot` does, and waits until it answers. */
  restart(): Promise<Outcome> {
    return this.#must("restart", [], { timeoutMs: 900_000 });
  }

  /** Powers it off and deletes its disk. */
  purge(): Promise<Outcome> {
    return this.#must("stop", ["--purge"], {});
  }

  /** Runs a shell command as root, and returns its output; throws unless it succeeds. */
  async run(command: string, options: RunOptions = {}): Promise<string> {
    return (await this.#must("run", [command], options)).output;
  }

  /** Runs a shell command as root, and returns how it ended. */
  try(command: string, options: RunOptions = {}): Promise<Outcome> {
    return this.#call("run", [command], options);
  }

  async #must(program: string, args: string[], options: RunOptions): Promise<Outcome> {
    const outcome = await this.#call(program, args, options);
    if (outcome.code !== 0) throw new CommandError([program, ...args].join(" "), outcome);
    return outcome;
  }

  #call(program: string, args: string[], options: RunOptions): Promise<Outcome> {
    const child = spawn(join(this.kit, program), args, {
      env: { ...process.env, VM: this.id, SUITE: this.suite },
      timeout: options.timeoutMs ?? 240_000,
    });
    const parts: Buffer[] = [];
    child.stdout.on("data", (part: Buffer) => parts.push(part));
    child.stderr.on("data", (part: Buffer) => parts.push(part));
    // The command may end without reading its input.
    child.stdin.on("error", () => undefined);
    child.stdin.end(options.input ?? "");
    return new Promise((resolve, reject) => {
      child.on("error", reject);
      // Not "close": background processes of the kit keep the pipes open.
      child.on("exit", (code, signal) => {
        void nextTurn().then(() => {
          const output = Buffer.concat(parts).toString("utf8");
          resolve({ code: code ?? 124, output: signal ? `${output}\n(${signal})` : output });
        });
      });
    });
  }
}
