import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./free-port.ts";
import { until } from "./until.ts";

export interface EtcdClusterOptions {
  /** Number of members; default 1. */
  readonly size?: number;
  /** Flags for each member, besides those for names, addresses and directories. */
  readonly flags?: readonly string[];
  /** Default `http`; for `https` the flags must name the certificates. */
  readonly scheme?: "http" | "https";
  /** Default $K8TS_ETCD, or else the machine's own etcd, which the test command installs. */
  readonly program?: string;
  /** Folder of the data; default in memory, where syncs are fast. */
  readonly directory?: string;
}

/** Fast elections, and more pings than etcd's default limit. */
const testFlags = [
  "--heartbeat-interval=20",
  "--election-timeout=200",
  "--grpc-keepalive-min-time=50ms",
  "--logger=zap",
  "--log-level=error",
];

const startTimeoutMs = 20_000;

/** Real etcd processes on loopback. Disposing of it kills them and removes their data. */
export class EtcdCluster implements AsyncDisposable {
  readonly members: readonly EtcdMember[];
  readonly #directory: string;

  /** Resolves when every member accepts connections. */
  static async start(options: EtcdClusterOptions = {}): Promise<EtcdCluster> {
    const { size = 1, flags = [], scheme = "http" } = options;
    const program = options.program ?? process.env["K8TS_ETCD"] ?? "/usr/bin/etcd";
    const parent = options.directory ?? (existsSync("/dev/shm") ? "/dev/shm" : tmpdir());
    const directory = await mkdtemp(join(parent, "k8ts-etcd-"));
    const ports = await Promise.all(Array.from({ length: 2 * size }, freePort));
    const plans = Array.from({ length: size }, (_, index) => ({
      name: `member${index}`,
      endpoint: `${scheme}://127.0.0.1:${ports[2 * index]}`,
      peer: `http://127.0.0.1:${ports[2 * index + 1]}`,
    }));
    const cluster = plans.map(({ name, peer }) => `${name}=${peer}`).join(",");
    const members = plans.map(({ name, endpoint, peer }) => {
      const own = [
        `--name=${name}`,
        `--data-dir=${join(directory, name)}`,
        `--listen-client-urls=${endpoint}`,
        `--advertise-client-urls=${endpoint}`,
        `--listen-peer-urls=${peer}`,
        `--initial-advertise-peer-urls=${peer}`,
        `--initial-cluster=${cluster}`,
      ];
      return new EtcdMember(endpoint, program, [...own, ...testFlags, ...flags]);
    });
    const started = new EtcdCluster(directory, members);
    try {
      await Promise.all(members.map((member) => member.start()));
    } catch (error) {
      await started[Symbol.asyncDispose]();
      throw error;
    }
    return started;
  }

  private constructor(directory: string, members: readonly EtcdMember[]) {
    this.#directory = directory;
    this.members = members;
  }

  get endpoints(): string[] {
    return this.members.map(({ endpoint }) => endpoint);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.members.map((member) => member.kill()));
    await rm(this.#directory, { recursive: true, force: true });
  }
}

/** One etcd process, which can be killed, frozen and started again. */
export class EtcdMember {
  readonly endpoint: string;
  readonly #program: string;
  readonly #args: readonly string[];
  #child: ChildProcess | undefined;
  #output = "";

  constructor(endpoint: string, program: string, args: readonly string[]) {
    this.endpoint = endpoint;
    this.#program = program;
    this.#args = args;
  }

  /** Also starts a killed member again, with the data that it had. */
  async start(): Promise<void> {
    const child = spawn(this.#program, this.#args, { stdio: ["ignore", "ignore", "pipe"] });
    this.#child = child;
    child.stderr.on("data", (data: Buffer) => {
      this.#output = (this.#output + data.toString()).slice(-4_000);
    });
    const answers = async (): Promise<boolean> => {
      assert.ok(child.exitCode === null, `etcd has ended with ${child.exitCode}`);
      return accepts(new URL(this.endpoint));
    };
    await until("etcd answers", answers, { limitMs: startTimeoutMs }).catch((error: Error) =>
      assert.fail(`etcd did not start: ${error.message}\n${this.#output}`),
    );
  }

  /** Kills it without a graceful shutdown, as a crash would. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  }

  /** Pauses the process; its connections stay open. */
  freeze(): void {
    this.#child?.kill("SIGSTOP");
  }

  thaw(): void {
    this.#child?.kill("SIGCONT");
  }
}

async function accepts({ hostname, port }: URL): Promise<boolean> {
  const socket = connect(Number(port), hostname);
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
