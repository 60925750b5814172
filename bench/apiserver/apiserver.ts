import { type ChildProcess, execFile, spawn } from "node:child_process";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { homedir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { systemClock as clock } from "#/std/clock.ts";

/**
 * `node bench/apiserver/apiserver.ts`: our API server on the embedded store (and, with --etcd, on etcd) against the real
 * kube-apiserver on etcd, one after the other on the same disk, with the same client, TLS and flags. Writes are synced.
 */
const { values: flags } = parseArgs({
  options: {
    count: { type: "string", default: "3000" },
    directory: { type: "string", default: "." },
    etcd: { type: "boolean", default: false },
    programs: { type: "string", default: join(homedir(), ".cache/kube-conformance") },
    only: { type: "string", default: "" },
  },
});

const root = join(import.meta.dirname, "../..");
const token = randomBytes(16).toString("hex");
const run = promisify(execFile);

interface Contender {
  readonly name: string;
  readonly port: number;
  start(directory: string): Promise<ChildProcess[]>;
}

type Results = Record<string, { perSecond: number; p99Ms: number }>;

interface Outcome {
  readonly results: Results;
  readonly readyMs: number;
  readonly memoryMiB: number;
}

await using stack = new AsyncDisposableStack();
const directory = await mkdtemp(join(flags.directory, ".bench-apiserver-"));
stack.defer(() => rm(directory, { recursive: true }));
await prepare();

const contenders: Contender[] = [
  { name: "kube-apiserver + etcd", port: 36443, start: startReal },
  { name: "k8ts", port: 36444, start: (where) => startOurs(where, []) },
  ...(flags.etcd
    ? [{ name: "k8ts + etcd", port: 36445, start: startOnEtcd } satisfies Contender]
    : []),
];
const outcomes = new Map<string, Outcome>();
for (const contender of contenders) {
  if (flags.only !== "" && contender.name !== flags.only) continue;
  outcomes.set(contender.name, await measure(contender));
}
print();

async function prepare(): Promise<void> {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  await writeFile(join(directory, "sa.key"), privateKey.export({ type: "pkcs8", format: "pem" }));
  await writeFile(join(directory, "tokens.csv"), `${token},bench,bench,"system:masters"\n`);
  await run("openssl", [
    ...["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=bench"],
    ...["-keyout", join(directory, "tls.key"), "-out", join(directory, "tls.crt")],
  ]);
}

function commonFlags(port: number): string[] {
  return [
    "--bind-address=127.0.0.1",
    "--advertise-address=192.0.2.1",
    `--secure-port=${port}`,
    `--tls-cert-file=${join(directory, "tls.crt")}`,
    `--tls-private-key-file=${join(directory, "tls.key")}`,
    `--token-auth-file=${join(directory, "tokens.csv")}`,
    "--authorization-mode=RBAC",
    "--service-cluster-ip-range=10.0.0.0/16",
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${join(directory, "sa.key")}`,
    `--service-account-signing-key-file=${join(directory, "sa.key")}`,
    "--disable-admission-plugins=ServiceAccount",
  ];
}

async function startEtcd(where: string, port: number): Promise<ChildProcess> {
  const client = `http://127.0.0.1:${port}`;
  const peer = `http://127.0.0.1:${port + 1}`;
  return start(where, "etcd", join(flags.programs, "bin/etcd"), [
    `--data-dir=${join(where, "etcd")}`,
    ...[`--listen-client-urls=${client}`, `--advertise-client-urls=${client}`],
    ...[`--listen-peer-urls=${peer}`, `--initial-advertise-peer-urls=${peer}`],
    ...[`--initial-cluster=default=${peer}`, "--log-level=error"],
  ]);
}

async function startReal(where: string): Promise<ChildProcess[]> {
  const etcd = await startEtcd(where, 36379);
  const program = join(flags.programs, "reference/bin/kube-apiserver");
  const args = ["--etcd-servers=http://127.0.0.1:36379", ...commonFlags(36443)];
  return [etcd, await start(where, "kube-apiserver", program, args)];
}

async function startOurs(
  where: string,
  more: readonly string[],
  port = 36444,
): Promise<ChildProcess[]> {
  const args = ["kube-apiserver", `--data-dir=${where}`, ...commonFlags(port), ...more];
  return [await start(where, "k8ts", join(root, "k8ts"), args)];
}

async function startOnEtcd(where: string): Promise<ChildProcess[]> {
  const etcd = await startEtcd(where, 36381);
  return [etcd, ...(await startOurs(where, ["--etcd-servers=http://127.0.0.1:36381"], 36445))];
}

async function start(
  where: string,
  name: string,
  program: string,
  args: readonly string[],
): Promise<ChildProcess> {
  const log = await open(join(where, `${name}.log`), "w");
  const child = spawn(program, args, { stdio: ["ignore", log.fd, log.fd] });
  child.on("exit", () => void log.close());
  return child;
}

async function measure(contender: Contender): Promise<Outcome> {
  const where = await mkdtemp(join(directory, "run-"));
  const began = clock.monotonicMs();
  const children = await contender.start(where);
  try {
    await untilReady(contender.port);
    const readyMs = clock.monotonicMs() - began;
    const load = [
      join(import.meta.dirname, "load.ts"),
      `--port=${contender.port}`,
      `--token=${token}`,
      `--count=${flags.count}`,
    ];
    const { stdout } = await run(process.execPath, load, { maxBuffer: 1 << 24 });
    const memory = await Promise.all(children.map(residentMiB));
    return {
      results: JSON.parse(stdout) as Results,
      readyMs,
      memoryMiB: memory.reduce((a, b) => a + b, 0),
    };
  } finally {
    for (const child of children.toReversed()) await stop(child);
  }
}

async function untilReady(port: number): Promise<void> {
  for (let tries = 0; tries < 6000; tries++) {
    if (await isReady(port)) return;
    await clock.sleep(10);
  }
  throw new Error("the server did not get ready");
}

function isReady(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const options = {
      host: "127.0.0.1",
      port,
      path: "/readyz",
      rejectUnauthorized: false,
      headers: { authorization: `Bearer ${token}` },
    };
    const outgoing = request(options, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    outgoing.on("error", () => resolve(false));
    outgoing.end();
  });
}

async function residentMiB({ pid }: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exited = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await Promise.race([exited, clock.sleep(10_000)]);
  child.kill("SIGKILL");
}

function print(): void {
  const peer = outcomes.get("kube-apiserver + etcd");
  for (const [name, { results, readyMs, memoryMiB }] of outcomes) {
    process.stdout.write(
      `\n${name}: ready in ${readyMs.toFixed(0)} ms, ${memoryMiB.toFixed(0)} MiB afterwards\n`,
    );
    for (const [operation, { perSecond, p99Ms }] of Object.entries(results)) {
      const theirs = peer?.results[operation];
      const ratio = theirs ? `${(perSecond / theirs.perSecond).toFixed(1)}×` : "";
      const cells = [
        operation.padEnd(20),
        perSecond.toFixed(0).padStart(9),
        `p99 ${p99Ms.toFixed(1)} ms`.padStart(14),
        ratio.padStart(8),
      ];
      process.stdout.write(`  ${cells.join(" ")}\n`);
    }
  }
}
