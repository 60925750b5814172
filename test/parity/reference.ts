import { type ChildProcess, spawn } from "node:child_process";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { mkdtemp, open, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { Agent, request } from "node:https";
import { homedir, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { EtcdCluster } from "#/testing/etcd-cluster.ts";
import { freePort } from "#/testing/free-port.ts";
import { until } from "#/testing/until.ts";
import type { Credential } from "./case.ts";

/** A raw answer of an API server. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** One request to an API server. */
export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The user of the request, by name or by credential; default the administrator. */
  readonly as?: string;
  readonly credential?: Credential;
}

/** A running API server, the real one or ours, that accepts requests of a member of system:masters. */
export interface Target extends AsyncDisposable {
  /** Its address, if it listens. */
  readonly url?: string;
  /** The administrator's credential, if it accepts credentials. */
  readonly token?: string;
  send(request: RawRequest): Promise<RawAnswer>;
}

const programs = join(homedir(), ".cache/kube-conformance");
const ownProgram = join(import.meta.dirname, "../../bin/kube-apiserver.ts");
const startTimeoutSeconds = 120;

/** Starts the real etcd and kube-apiserver on ports of their own; disposing stops both and removes their files. */
export const startReference = (
  authorizationMode = "RBAC",
  moreFlags: readonly string[] = [],
): Promise<Target> => startTarget("reference", authorizationMode, moreFlags);

/** Starts our kube-apiserver with the same flags, as a process of its own. */
export const startOwn = (moreFlags: readonly string[]): Promise<Target> =>
  startTarget("own", "RBAC", moreFlags);

async function startTarget(
  which: "reference" | "own",
  authorizationMode: string,
  moreFlags: readonly string[],
): Promise<Target> {
  const directory = await mkdtemp(join(tmpdir(), "parity-"));
  const children: ChildProcess[] = [];
  let etcd: EtcdCluster | undefined;
  const token = randomBytes(16).toString("hex");
  const port = await freePort();
  const agent = new Agent({ keepAlive: true, maxSockets: 4, rejectUnauthorized: false });
  const target: Target = {
    url: `https://127.0.0.1:${port}`,
    token,
    async send(raw) {
      if (!raw.credential?.cert) return send({ raw, port, token, agent });
      const { cert, key } = raw.credential;
      const own = new Agent({ rejectUnauthorized: false, cert, key });
      try {
        return await send({ raw, port, token, agent: own });
      } finally {
        own.destroy();
      }
    },
    async [Symbol.asyncDispose]() {
      agent.destroy();
      await Promise.all(children.map(stop));
      await etcd?.[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true });
    },
  };
  try {
    const flags = await apiServerFlags({ directory, port, token });
    const mode = isAuthorizing(moreFlags) ? [] : [`--authorization-mode=${authorizationMode}`];
    const all = [...flags, ...mode, ...pluginFlags(moreFlags), ...moreFlags];
    if (which === "own") {
      const store = `--data-dir=${join(directory, "data")}`;
      children.push(await run(directory, process.execPath, [ownProgram, store, ...all]));
    } else {
      etcd = await EtcdCluster.start({ program: join(programs, "bin/etcd") });
      const store = `--etcd-servers=${etcd.endpoints.join()}`;
      const program = join(programs, "reference/bin/kube-apiserver");
      children.push(await run(directory, program, [store, ...all]));
    }
    await untilReady(target, children);
    return target;
  } catch (error) {
    const logs = await Promise.all(
      (await readdir(directory))
        .filter((name) => name.endsWith(".log"))
        .map((name) => readFile(join(directory, name), "utf8")),
    );
    await target[Symbol.asyncDispose]();
    throw new Error(`the reference did not start:\n${logs.join("").slice(-4000)}`, {
      cause: error,
    });
  }
}

async function apiServerFlags(options: {
  readonly directory: string;
  readonly port: number;
  readonly token: string;
}): Promise<string[]> {
  const { directory, port, token } = options;
  const keyFile = join(directory, "service-account.key");
  const tokenFile = join(directory, "tokens.csv");
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  await writeFile(keyFile, privateKey.export({ type: "pkcs8", format: "pem" }));
  const lines = [`${token},parity,parity,"system:masters"`, 'bobtoken,bob,bob-uid,"g1,g2"', ""];
  await writeFile(tokenFile, lines.join("\n"));
  return [
    "--bind-address=127.0.0.1",
    "--advertise-address=192.0.2.1",
    `--secure-port=${port}`,
    `--cert-dir=${join(directory, "certs")}`,
    `--token-auth-file=${tokenFile}`,
    "--service-cluster-ip-range=10.0.0.0/16",
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${keyFile}`,
    `--service-account-signing-key-file=${keyFile}`,
  ];
}

/** The flag of modes adds to earlier ones, and excludes the file of modes. */
const isAuthorizing = (flags: readonly string[]): boolean =>
  flags.some((flag) => /^--authorization-(mode|config)=/.test(flag));

/** No controller creates the default ServiceAccount here: Pods do without it, unless the flags enable it. */
function pluginFlags(moreFlags: readonly string[]): string[] {
  const wanted = moreFlags.some((flag) => flag.includes("ServiceAccount"));
  return wanted ? [] : ["--disable-admission-plugins=ServiceAccount"];
}

async function run(directory: string, program: string, args: readonly string[]) {
  const log = await open(join(directory, `${basename(program)}.log`), "w");
  const child = spawn(program, args, { stdio: ["ignore", log.fd, log.fd] });
  child.on("exit", () => void log.close());
  return child;
}

async function untilReady(target: Target, children: readonly ChildProcess[]): Promise<void> {
  const isReady = async (): Promise<boolean> => {
    const dead = children.find((child) => child.exitCode !== null);
    if (dead) throw new Error(`${dead.spawnfile} exited with ${dead.exitCode}`);
    const answer = await target
      .send({ method: "GET", path: "/readyz", headers: {} })
      .catch(() => undefined);
    return answer?.status === 200;
  };
  await until("kube-apiserver is ready", isReady, { limitMs: startTimeoutSeconds * 1000 });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  // The limit of its graceful stop.
  await Promise.race([exited, sleep(20_000, undefined, { ref: false })]);
  child.kill("SIGKILL");
}

function send(options: {
  readonly raw: RawRequest;
  readonly port: number;
  readonly token: string;
  readonly agent: Agent;
}): Promise<RawAnswer> {
  const { raw, port, token, agent } = options;
  const headers = {
    ...raw.headers,
    ...(raw.credential ? raw.credential.headers : { authorization: `Bearer ${token}` }),
    // Node sends the body of a DELETE without a Content-Length.
    ...(raw.body === undefined ? {} : { "content-length": Buffer.byteLength(raw.body) }),
  };
  const to = { host: "127.0.0.1", port, agent, method: raw.method, path: raw.path, headers };
  return new Promise((resolve, reject) => {
    const outgoing = request(to, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: Object.fromEntries(
            Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
          ),
          text: Buffer.concat(chunks).toString("utf8"),
        }),
      );
    });
    outgoing.on("error", reject);
    outgoing.end(raw.body);
  });
}
