import { type ChildProcess, spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "#/testing/free-port.ts";

export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

const program = join(import.meta.dirname, "../../bin/kube-apiserver.ts");
/** Limit of the start of a server (ms): after it, the server hangs. */
const readyMs = 60_000;
/** Unit of CPU times in /proc (ms). */
const tickMs = 10;
/** Limit of the kept output (characters). */
const outputChars = 4_000;

/** kube-apiserver as a process of its own, which can be killed and restarted on the same data. */
export class ApiServerProcess implements AsyncDisposable {
  readonly directory: string;
  readonly port: number;
  readonly #flags: readonly string[];
  readonly #env: NodeJS.ProcessEnv;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64, rejectUnauthorized: false });
  #child: ChildProcess | undefined;

  private constructor(
    directory: string,
    port: number,
    flags: readonly string[],
    env: NodeJS.ProcessEnv,
  ) {
    this.directory = directory;
    this.port = port;
    this.#flags = flags;
    this.#env = env;
  }

  /** Starts a server on a port of its own; without --etcd-servers its data is in its directory. */
  static async start(
    flags: readonly string[] = [],
    env: NodeJS.ProcessEnv = process.env,
  ): Promise<ApiServerProcess> {
    const directory = await mkdtemp(join(tmpdir(), "k8ts-faults-"));
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    await writeFile(join(directory, "sa.key"), privateKey.export({ type: "pkcs8", format: "pem" }));
    await writeFile(join(directory, "tokens.csv"), 'token,admin,admin,"system:masters"\n');
    const server = new ApiServerProcess(directory, await freePort(), flags, env);
    try {
      await server.run();
    } catch (error) {
      await server[Symbol.asyncDispose]();
      throw error;
    }
    return server;
  }

  /** Starts the process and waits until it is ready; throws with its output if it ends or takes too long. */
  async run(): Promise<void> {
    const file = (name: string) => join(this.directory, name);
    const hasStore = this.#flags.some((flag) => flag.startsWith("--etcd-servers"));
    const args = [
      program,
      ...(hasStore ? [] : [`--data-dir=${file("data")}`]),
      `--secure-port=${this.port}`,
      "--bind-address=127.0.0.1",
      "--advertise-address=192.0.2.1",
      `--cert-dir=${file("certs")}`,
      `--token-auth-file=${file("tokens.csv")}`,
      "--authorization-mode=RBAC",
      "--service-account-issuer=https://kubernetes.default.svc",
      `--service-account-key-file=${file("sa.key")}`,
      `--service-account-signing-key-file=${file("sa.key")}`,
      ...this.#flags,
    ];
    const stdio = ["ignore", "pipe", "pipe"] as const;
    const child = spawn(process.execPath, args, { stdio: [...stdio], env: this.#env });
    this.#child = child;
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output = (output + text).slice(-outputChars);
      });
    }
    const over = new AbortController();
    child.once("close", (code, signal) => over.abort(`it ended with ${code ?? signal}`));
    const either = AbortSignal.any([over.signal, AbortSignal.timeout(readyMs)]);
    while (!either.aborted) {
      const answer = await this.send("GET", "/readyz", undefined, either).catch(() => undefined);
      if (answer?.status === 200) return;
      // A pause between tries, up to the limit.
      await sleep(50, undefined, { signal: either }).catch(() => undefined);
    }
    throw new Error(`the server did not get ready: ${either.reason}\n${output}`);
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Resident memory, in MiB. */
  async residentMiB(): Promise<number> {
    const status = await readFile(`/proc/${this.pid}/status`, "utf8");
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
  }

  /** CPU time of all its threads so far (ms). */
  async cpuMs(): Promise<number> {
    const text = await readFile(`/proc/${this.pid}/stat`, "utf8");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) * tickMs;
  }

  /** Sends a signal and waits for the end; returns the exit code, or the signal that ended it. */
  async end(signal: "SIGTERM" | "SIGKILL"): Promise<number | string | null> {
    const child = this.#child;
    if (!child || child.exitCode !== null) return child?.exitCode ?? null;
    const exited = once(child, "exit") as Promise<[number | null, string | null]>;
    child.kill(signal);
    const [code, by] = await exited;
    return code ?? by;
  }

  /** Sends a request as the administrator. */
  send(
    method: string,
    path: string,
    body?: object,
    signal?: AbortSignal,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<HttpAnswer> {
    return this.sendAs("token", method, path, body, signal, headers);
  }

  /** Sends a request with a bearer token. */
  sendAs(
    token: string,
    method: string,
    path: string,
    body?: object,
    signal?: AbortSignal,
    more: Readonly<Record<string, string>> = {},
  ): Promise<HttpAnswer> {
    const own = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const headers = { ...own, ...more };
    const server = { host: "127.0.0.1", port: this.port, agent: this.#agent };
    const to = { ...server, method, path, headers, ...(signal ? { signal } : {}) };
    return new Promise((resolve, reject) => {
      const sent = request(to, async (response) => {
        try {
          const text = Buffer.concat(await response.toArray()).toString();
          resolve({ status: response.statusCode ?? 0, text });
        } catch (error) {
          reject(error);
        }
      });
      sent.on("error", reject);
      sent.end(body ? JSON.stringify(body) : undefined);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end("SIGKILL");
    this.#agent.destroy();
    await rm(this.directory, { recursive: true, force: true });
  }
}
