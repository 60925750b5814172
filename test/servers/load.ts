import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Machine } from "./machines.ts";
import type { LoadOptions, LoadRecord } from "./records.ts";

const program = fileURLToPath(new URL("./load.program.ts", import.meta.url));
/** The balancer of a node. */
const balancer = "https://127.0.0.1:6444";

/** A load that runs on a node, by its balancer. */
export class Load {
  readonly records: LoadRecord[] = [];
  readonly #child: ChildProcess;
  readonly #read: Promise<void>;

  constructor(node: Machine, pki: string, options: Omit<LoadOptions, "server" | "pki">) {
    const args = JSON.stringify({ ...options, server: balancer, pki });
    const enter = [`--net=/run/netns/${node.namespace}`];
    this.#child = spawn("nsenter", [...enter, process.execPath, program, args], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.#read = this.#collect();
  }

  async #collect(): Promise<void> {
    const { stdout } = this.#child;
    if (!stdout) return;
    for await (const line of createInterface({ input: stdout })) {
      this.records.push(JSON.parse(line) as LoadRecord);
    }
  }

  /** Ends it, and resolves with all that it has seen. */
  async end(): Promise<readonly LoadRecord[]> {
    this.#child.stdin?.write("\n");
    if (this.#child.exitCode === null) await once(this.#child, "exit");
    await this.#read;
    return this.records;
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }
}
