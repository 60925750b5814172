import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { join } from "node:path";
import { systemClock as clock } from "#/std/time/clock.ts";
import { freePort } from "#/testing/free-port.ts";

/** A server under test, with its store: started fresh, in a directory of its own. */
export interface Contender {
  readonly name: string;
  start(options: StartOptions): Promise<RunningContender>;
}

export interface StartOptions {
  /** Folder of its data and logs. */
  readonly directory: string;
  readonly credentials: Credentials;
  /** The CPUs its processes may use, as for taskset; all of them when empty. */
  readonly cpus: string;
  /** The flags of authorization, admission and fairness; as in a real cluster when absent. */
  readonly gateFlags?: readonly string[];
  readonly moreFlags?: readonly string[];
  /** The environment of its programs; default is that of this process. */
  readonly env?: NodeJS.ProcessEnv;
}

export interface RunningContender {
  readonly name: string;
  readonly url: string;
  readonly pids: readonly number[];
  /** Time from the start of the server's process until /readyz succeeded. */
  readonly readyMs: number;
  /** Resident memory of its processes. */
  residentMiB(): number;
  stop(): Promise<void>;
}

const root = join(import.meta.dirname, "../..");

/** Our API server on the embedded store, of this checkout or another. */
export function ours(name = "k8ts", checkout = root): Contender {
  return {
    name,
    start: (options) =>
      run(
        name,
        options,
        [],
        [join(checkout, "k8ts"), "kube-apiserver", `--data-dir=${options.directory}`],
      ),
  };
}

/** Our API server on etcd. */
export function oursOnEtcd(programs: string): Contender {
  return {
    name: "k8ts on etcd",
    async start(options) {
      const etcd = await startEtcd(options, join(programs, "bin/etcd"));
      return run(
        "k8ts on etcd",
        options,
        [etcd.process],
        [join(root, "k8ts"), "kube-apiserver", `--etcd-servers=${etcd.url}`],
      );
    },
  };
}

/** The real kube-apiserver on etcd. */
export function theirs(programs: string): Contender {
  return {
    name: "kube-apiserver + etcd",
    async start(options) {
      const etcd = await startEtcd(options, join(programs, "bin/etcd"));
      return run(
        "kube-apiserver + etcd",
        options,
        [etcd.process],
        [join(programs, "reference/bin/kube-apiserver"), `--etcd-servers=${etcd.url}`],
      );
    },
  };
}

/** Keys and certificates as kubeadm creates them: RSA, one authority, an administrator's client certificate. */
export interface Credentials {
  readonly authority: string;
  readonly server: { readonly cert: string; readonly key: string };
  readonly admin: { readonly cert: string; readonly key: string };
  readonly serviceAccountKey: string;
}

/** Creates the credentials that all contenders of a run share. */
export function makeCredentials(directory: string): Credentials {
  mkdirSync(directory, { recursive: true });
  const file = (name: string) => join(directory, name);
  const openssl = (...args: string[]) => execFileSync("openssl", args, { stdio: "pipe" });
  const issue = (name: string, subject: string) => {
    openssl(
      ...["req", "-newkey", "rsa:2048", "-nodes", "-subj", subject],
      ...["-keyout", file(`${name}.key`), "-out", file(`${name}.csr`)],
    );
    writeFileSync(
      file(`${name}.ext`),
      "keyUsage=digitalSignature,keyEncipherment\nextendedKeyUsage=serverAuth,clientAuth\nsubjectAltName=IP:127.0.0.1\n",
    );
    openssl(
      ...[
        "x509",
        "-req",
        "-in",
        file(`${name}.csr`),
        "-CA",
        file("ca.crt"),
        "-CAkey",
        file("ca.key"),
      ],
      ...[
        "-CAcreateserial",
        "-days",
        "2",
        "-out",
        file(`${name}.crt`),
        "-extfile",
        file(`${name}.ext`),
      ],
    );
    return { cert: file(`${name}.crt`), key: file(`${name}.key`) };
  };
  openssl(
    ...["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=bench-ca"],
    ...["-keyout", file("ca.key"), "-out", file("ca.crt")],
  );
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  writeFileSync(file("sa.key"), privateKey.export({ type: "pkcs8", format: "pem" }));
  return {
    authority: file("ca.crt"),
    server: issue("server", "/CN=kube-apiserver"),
    admin: issue("admin", "/O=system:masters/CN=admin"),
    serviceAccountKey: file("sa.key"),
  };
}

const allGates = [
  "--authorization-mode=Node,RBAC",
  "--enable-admission-plugins=NodeRestriction",
  // No controller runs that would create the service accounts.
  "--disable-admission-plugins=ServiceAccount",
];

function flagsOf(
  port: number,
  { credentials, gateFlags = allGates, moreFlags = [] }: StartOptions,
): string[] {
  return [
    "--bind-address=127.0.0.1",
    "--advertise-address=192.0.2.1",
    `--secure-port=${port}`,
    `--client-ca-file=${credentials.authority}`,
    `--tls-cert-file=${credentials.server.cert}`,
    `--tls-private-key-file=${credentials.server.key}`,
    "--service-cluster-ip-range=10.0.0.0/16",
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${credentials.serviceAccountKey}`,
    `--service-account-signing-key-file=${credentials.serviceAccountKey}`,
    ...gateFlags,
    ...moreFlags,
  ];
}

async function startEtcd(
  options: StartOptions,
  program: string,
): Promise<{ readonly process: ChildProcess; readonly url: string }> {
  const client = `http://127.0.0.1:${await freePort()}`;
  const peer = `http://127.0.0.1:${await freePort()}`;
  const etcd = start("etcd", options, [
    program,
    `--data-dir=${join(options.directory, "etcd")}`,
    ...[`--listen-client-urls=${client}`, `--advertise-client-urls=${client}`],
    ...[`--listen-peer-urls=${peer}`, `--initial-advertise-peer-urls=${peer}`],
    ...[`--initial-cluster=default=${peer}`, "--log-level=error"],
  ]);
  const answers = () =>
    fetch(`${client}/health`).then(
      (response) => response.ok,
      () => false,
    );
  await until(answers, "etcd");
  return { process: etcd, url: client };
}

async function run(
  name: string,
  options: StartOptions,
  stores: readonly ChildProcess[],
  command: readonly string[],
): Promise<RunningContender> {
  const port = await freePort();
  const began = clock.monotonicMs();
  const server = start("server", options, [...command, ...flagsOf(port, options)]);
  const children = [server, ...stores];
  const url = `https://127.0.0.1:${port}`;
  const agent = new Agent({
    keepAlive: true,
    rejectUnauthorized: false,
    cert: readFileSync(options.credentials.admin.cert),
    key: readFileSync(options.credentials.admin.key),
  });
  await until(() => isReady(url, agent), name);
  const readyMs = clock.monotonicMs() - began;
  agent.destroy();
  return {
    name,
    url,
    pids: children.map(({ pid }) => pid ?? 0),
    readyMs,
    residentMiB: () => children.reduce((sum, { pid }) => sum + residentMiB(pid ?? 0), 0),
    async stop() {
      for (const child of children) await stop(child);
    },
  };
}

function start(
  name: string,
  { directory, cpus, env = process.env }: StartOptions,
  command: readonly string[],
): ChildProcess {
  const log = openSync(join(directory, `${name}.log`), "w");
  const [program = "", ...args] = cpus === "" ? command : ["taskset", "-c", cpus, ...command];
  const child = spawn(program, args, { stdio: ["ignore", log, log], env });
  closeSync(log);
  return child;
}

async function until(condition: () => Promise<boolean>, what: string): Promise<void> {
  for (let tries = 0; tries < 6000; tries++) {
    if (await condition()) return;
    await clock.sleep(10);
  }
  throw new Error(`${what} did not get ready`);
}

function isReady(url: string, agent: Agent): Promise<boolean> {
  return new Promise((resolve) => {
    const outgoing = request(`${url}/readyz`, { agent }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    outgoing.on("error", () => resolve(false));
    outgoing.end();
  });
}

function residentMiB(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await Promise.race([exited, clock.sleep(5_000)]);
  if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
}
