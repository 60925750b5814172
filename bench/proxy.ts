/**
 * How long a proxy takes to write the rules of many services at its start, and how long after the creation of one more
 * its address answers: ours and the real kube-proxy in turn, in a network namespace, against the same API server.
 *
 *   bench/proxy.ts [--services 5000] [--endpoints 2] [--changes 20] [--modes nftables,iptables,ipvs] [--reference FOLDER]
 *
 * Needs root, a kernel with the modes, and the reference programs for comparison. Processor time is that of the proxy and
 * of the programs that it runs. Only IPv4 has services.
 */
import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { nodes, type Service, services } from "#/api/core/v1.ts";
import { type EndpointSlice, endpointSlices } from "#/api/discovery/v1.ts";
import { Client } from "#/client/client.ts";
import { openTransport } from "#/client/kubeconfig/transport-for.ts";
import { systemClock } from "#/std/time/clock.ts";
import { TestAuthority } from "#/testing/certificates.ts";
import { NetworkNamespace } from "#/testing/network-namespace.ts";

const { values } = parseArgs({
  options: {
    services: { type: "string", default: "5000" },
    endpoints: { type: "string", default: "2" },
    changes: { type: "string", default: "20" },
    modes: { type: "string", default: "nftables,iptables" },
    /** The folder with the real kube-proxy. */
    reference: {
      type: "string",
      default: join(homedir(), ".cache/kube-conformance/reference/bin"),
    },
  },
});
const count = Number(values.services);
const perService = Number(values.endpoints);
const changes = Number(values.changes);
/** Limit of the first write of all rules (ms): upstream's mode ipvs takes minutes on a slow kernel. */
const firstWriteMs = 60 * 60_000;
const [apiHost, apiPort] = ["10.199.7.1", 6443];

/** Accepts connections, and ends them. */
const acceptScript = `require("node:net")
  .createServer((socket) => socket.on("error", () => 0).end())
  .listen(8080)`;

/** Connects again and again until a connection is accepted; prints when that was. */
const connectScript = `
const host = process.argv[1];
const net = require("node:net");
(function next() {
  const socket = net.connect({ host, port: 80 });
  const timer = setTimeout(again, 20);
  function again() {
    clearTimeout(timer);
    socket.destroy();
    setTimeout(next, 2);
  }
  socket.once("error", again);
  socket.once("connect", () => {
    console.log(Date.now());
    process.exit();
  });
})();`;

const programs = values.reference;
const ours = [process.execPath, new URL("../bin/kube-proxy.ts", import.meta.url).pathname];
const directory = await mkdtemp(join(tmpdir(), "bench-proxy-"));
const kubeconfig = join(directory, "kubeconfig");

await using cluster = await NetworkNamespace.create();
try {
  await layNetwork();
  await startServer();
  await using transport = await openTransport({ kubeconfig });
  const client = new Client(transport);
  await createObjects(client);
  for (const mode of values.modes.split(",")) {
    for (const [name, command] of [
      ["k8ts", ours],
      ["upstream", [join(programs, "kube-proxy")]],
    ] as const) {
      if (command.length === 1 && !existsSync(command[0] ?? "")) continue;
      await measure(client, mode, name, command);
    }
  }
} finally {
  await rm(directory, { recursive: true });
  await cluster.sh("ip link del up0").catch(() => undefined);
}

/** A veth pair to the namespace in which the proxies run; the server listens on this end. */
async function layNetwork(): Promise<void> {
  await cluster.sh(`
    ip link add up0 type veth peer name k8ts-bench0 netns 1
    ip addr add 10.199.7.2/24 dev up0
    ip link set up0 up
    ip link add sink0 type veth peer name sink1
    ip link set sink0 up; ip link set sink1 up
    ip route add 10.96.0.0/16 dev sink0
    ip route add local 10.128.0.0/9 dev lo
  `);
  cluster.start(process.execPath, ["-e", acceptScript]);
  const { runProgram } = await import("#/std/process/run-program.ts");
  await runProgram("ip", ["addr", "add", `${apiHost}/24`, "dev", "k8ts-bench0"]);
  await runProgram("ip", ["link", "set", "k8ts-bench0", "up"]);
}

async function startServer(): Promise<void> {
  const authority = await TestAuthority.create(directory);
  const { certFile, keyFile } = await authority.issue("bench", [`IP:${apiHost}`]);
  await writeFile(join(directory, "tokens.csv"), "secret,admin,1,system:masters\n");
  const server = {
    server: `https://${apiHost}:${apiPort}`,
    "certificate-authority": authority.caFile,
  };
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster: server }],
    users: [{ name: "u", user: { token: "secret" } }],
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    "current-context": "c",
  };
  await writeFile(kubeconfig, JSON.stringify(config));
  const { spawn } = await import("node:child_process");
  const child = spawn(
    process.execPath,
    [
      new URL("../bin/kube-apiserver.ts", import.meta.url).pathname,
      `--data-dir=${join(directory, "data")}`,
      `--bind-address=${apiHost}`,
      `--advertise-address=${apiHost}`,
      `--token-auth-file=${join(directory, "tokens.csv")}`,
      `--tls-cert-file=${certFile}`,
      `--tls-private-key-file=${keyFile}`,
      "--service-cluster-ip-range=10.96.0.0/16",
      "--service-account-issuer=https://kubernetes.default.svc",
      `--service-account-key-file=${keyFile}`,
      `--service-account-signing-key-file=${keyFile}`,
    ],
    { stdio: ["ignore", "ignore", "ignore"] },
  );
  child.unref();
  process.on("exit", () => child.kill());
  await using transport = await openTransport({ kubeconfig });
  const client = new Client(transport);
  for (let tries = 0; tries < 600; tries++) {
    const done = await client.list(nodes).catch(() => undefined);
    if (done) return;
    await systemClock.sleep(200);
  }
  throw new Error("the API server did not start");
}

async function createObjects(client: Client): Promise<void> {
  await client.create(nodes, {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "bench" },
    spec: {},
    status: { addresses: [{ type: "InternalIP", address: "10.199.7.2" }] },
  });
  for (let start = 0; start < count; start += 100) {
    const some = Array.from({ length: Math.min(100, count - start) }, (_, index) => start + index);
    await Promise.all(some.map((index) => createService(client, index)));
  }
}

async function createService(client: Client, index: number): Promise<void> {
  const name = `service-${index}`;
  // Not a random address: it might be that of a change.
  const clusterIP = `10.96.${1 + (index >> 8)}.${index & 255}`;
  await client.create(services, serviceOf(name, clusterIP), { namespace: "default" });
  await client.create(endpointSlices, sliceOf(name, index), { namespace: "default" });
}

function serviceOf(name: string, clusterIP: string): Service {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace: "default" },
    spec: { clusterIP, ports: [{ name: "http", port: 80, protocol: "TCP", targetPort: 8080 }] },
  };
}

function sliceOf(name: string, index: number): EndpointSlice {
  const endpoints = Array.from({ length: perService }, (_, each) => {
    const number = index * perService + each;
    const address = [10, 128 + (number >> 16), (number >> 8) & 255, number & 255].join(".");
    return { addresses: [address], conditions: { ready: true }, nodeName: "elsewhere" };
  });
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name, namespace: "default", labels: { "kubernetes.io/service-name": name } },
    addressType: "IPv4",
    endpoints,
    ports: [{ name: "http", port: 8080, protocol: "TCP" }],
  };
}

/** What a proxy used and how long it took, at its start and for each change. */
interface Figures {
  readonly startMs: number;
  readonly startCpuMs: number;
  readonly effectMs: readonly number[];
  readonly changeCpuMs: number;
  readonly memory: string;
}

/** Runs one proxy: writes everything, then adds one service at a time. */
async function measure(
  client: Client,
  mode: string,
  name: string,
  command: readonly string[],
): Promise<void> {
  const began = systemClock.monotonicMs();
  const proxy = startProxy(mode, command);
  await until(async () => (await sample("sync_proxy_rules_last_timestamp_seconds")) > 0);
  const startMs = systemClock.monotonicMs() - began;
  await settle(proxy);
  const startCpuMs = await cpuMs(proxy);
  const effectMs: number[] = [];
  for (let index = 0; index < changes; index++) {
    effectMs.push(await timeToEffect(client, index));
    await settle(proxy);
  }
  const changeCpuMs = ((await cpuMs(proxy)) - startCpuMs) / changes;
  const memory = await cluster.sh(`grep VmRSS /proc/${proxy.pid}/status`).catch(() => "");
  proxy.kill();
  for (let index = 0; index < changes; index++) {
    const ref = { namespace: "default", name: nameOfChange(index) };
    await client.delete(services, ref);
    await client.delete(endpointSlices, ref);
  }
  await cluster.run(ours[0] ?? "", [...ours.slice(1), "--cleanup"]);
  report(mode, name, { startMs, startCpuMs, effectMs, changeCpuMs, memory });
}

function startProxy(mode: string, [program = "", ...args]: readonly string[]): ChildProcess {
  const proxy = cluster.start(program, [
    ...args,
    `--kubeconfig=${kubeconfig}`,
    "--hostname-override=bench",
    `--proxy-mode=${mode}`,
    "--cluster-cidr=10.128.0.0/9",
    "--conntrack-max-per-core=0",
    "--conntrack-tcp-timeout-established=0s",
    "--conntrack-tcp-timeout-close-wait=0s",
  ]);
  proxy.stderr?.resume();
  return proxy;
}

function report(mode: string, name: string, figures: Figures): void {
  const effects = figures.effectMs.toSorted((a, b) => a - b).map(Math.round);
  process.stdout.write(
    `${mode.padEnd(9)} ${name.padEnd(9)} first write ${(figures.startMs / 1000).toFixed(2)} s, ` +
      `cpu ${(figures.startCpuMs / 1000).toFixed(2)} s; one service more answers after ` +
      `${effects[effects.length >> 1]} ms (${effects[0]} to ${effects.at(-1)}), ` +
      `cpu ${figures.changeCpuMs.toFixed(0)} ms; ${figures.memory.trim()}\n`,
  );
}

function nameOfChange(index: number): string {
  return `change-${index}`;
}

/** Time (ms) from the request that creates a service to the first connection through it. */
async function timeToEffect(client: Client, index: number): Promise<number> {
  const clusterIP = `10.96.255.${index}`;
  const answered = cluster.run(process.execPath, ["-e", connectScript, clusterIP]);
  await systemClock.sleep(500);
  const began = Date.now();
  const name = nameOfChange(index);
  await client.create(services, serviceOf(name, clusterIP), { namespace: "default" });
  await client.create(endpointSlices, sliceOf(name, index), { namespace: "default" });
  return Number(await answered) - began;
}

/** Waits until a proxy has used no processor for a while, as far as can be seen. */
async function settle(proxy: ChildProcess): Promise<void> {
  let used = -1;
  for (let quiet = 0; quiet < 3; ) {
    await systemClock.sleep(500);
    const now = await cpuMs(proxy);
    quiet = now - used < 30 ? quiet + 1 : 0;
    used = now;
  }
}

/** Processor time (ms) of a process and of its children that have ended. */
async function cpuMs({ pid }: ChildProcess): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8");
  const times = text.slice(text.lastIndexOf(")")).split(" ").slice(12, 16);
  return times.reduce((sum, ticks) => sum + Number(ticks), 0) * 10;
}

/** One value of the proxy's metrics, of IPv4; 0 if it doesn't exist. */
async function sample(name: string): Promise<number> {
  const text = await cluster.sh("curl -s http://127.0.0.1:10249/metrics || true");
  const line = text
    .split("\n")
    .find((each) => each.startsWith(`kubeproxy_${name}{ip_family="IPv4"}`));
  return Number(line?.split(" ")[1] ?? 0);
}

async function until(check: () => Promise<boolean>): Promise<void> {
  const began = systemClock.monotonicMs();
  while (systemClock.monotonicMs() - began < firstWriteMs) {
    if (await check()) return;
    await systemClock.sleep(200);
  }
  throw new Error("the proxy did not become ready");
}
