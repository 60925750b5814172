import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Client } from "#/client/client.ts";
import { openTransport } from "#/client/kubeconfig/transport-for.ts";

const run = promisify(execFile);
const launcher = fileURLToPath(new URL("../../k8ts", import.meta.url));

/** The image of all Pods of the benchmark. */
export const image = "k8ts.test/web:1";

/** A cluster for a benchmark only. */
export class BenchCluster implements AsyncDisposable {
  readonly name: string;
  readonly #kubeconfig: string;
  readonly #upFlags: readonly string[];
  #client: Client | undefined;

  constructor(kubeconfig: string, name = "bench-up", upFlags: readonly string[] = []) {
    this.#kubeconfig = kubeconfig;
    this.name = name;
    this.#upFlags = upFlags;
  }

  get folder(): string {
    return `/var/lib/k8ts-${this.name}`;
  }

  /** Runs k8ts as a user does, and returns its output. */
  async k8ts(...args: string[]): Promise<string> {
    return (await run(launcher, args, { timeout: 120_000 })).stdout;
  }

  async up(): Promise<void> {
    const names = ["--name", this.name, "--kubeconfig", this.#kubeconfig];
    await this.k8ts("up", ...names, ...this.#upFlags);
    this.#client = new Client(await openTransport({ kubeconfig: this.#kubeconfig }));
  }

  /** Stops the cluster and starts it again. */
  async restart(): Promise<void> {
    await this.#client?.transport[Symbol.asyncDispose]();
    await this.k8ts("down", "--name", this.name);
    await this.up();
  }

  get client(): Client {
    if (!this.#client) throw new Error("the cluster is not up");
    return this.#client;
  }

  get runtimeEndpoint(): string {
    return `unix://${this.folder}/run/containerd/containerd.sock`;
  }

  async pidOf(program: string): Promise<number> {
    const text = await readFile(`${this.folder}/run/${program}.pid`, "utf8");
    return Number(text.split(" ")[0]);
  }

  async down(): Promise<void> {
    await this.#client?.transport[Symbol.asyncDispose]();
    if (existsSync(this.folder)) await this.k8ts("down", "--name", this.name, "--purge");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.down();
  }
}
