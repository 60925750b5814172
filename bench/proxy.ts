/**
 * How long a proxy takes to write the rules of many services, all at once and one by one: ours and
 * the real kube-proxy, in network namespaces of their own, against the same API server.
 *
 *   bench/proxy.ts [--services 5000] [--endpoints 2] [--modes nftables,iptables,ipvs]
 *
 * Needs root, a kernel with the modes, and the reference programs for comparison. Figures are the proxies' own, from their
 * metrics, for IPv4 only, because only IPv4 has services.
 */
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
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
    modes: { type: "string", default: "nftables,iptables" },
  },
});
const count = Number(values.services);
const perService = Number(values.endpoints);
const changes = 10;
const [apiHost, apiPort] = ["10.199.7.1", 6443];

const programs = join(homedir(), ".cache/kube-conformance/reference/bin");
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
  `);
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
  process.on("exit", () => child.kill());
  await using transport = await openTransport({ kubeconfig });
  const client = new Client(transport);
  for (let tries = 0; tries < 100; tries++) {
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
  await client.create(services, serviceOf(name), { namespace: "default" });
  await client.create(endpointSlices, sliceOf(name, index), { namespace: "default" });
}

function serviceOf(name: string): Service {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace: "default" },
    spec: { ports: [{ name: "http", port: 80, protocol: "TCP", targetPort: 8080 }] },
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

/** Runs one proxy: writes everything, then adds and removes one service at a time. */
async function measure(
  client: Client,
  mode: string,
  name: string,
  command: readonly string[],
): Promise<void> {
  const [program = "", ...args] = command;
  const began = systemClock.monotonicMs();
  const proxy = cluster.start(program, [
    ...args,
    `--kubeconfig=${kubeconfig}`,
    "--hostname-override=bench",
    `--proxy-mode=${mode}`,
    "--cluster-cidr=10.128.0.0/9",
    "--iptables-min-sync-period=50ms",
    "--ipvs-min-sync-period=50ms",
    "--conntrack-max-per-core=0",
    "--conntrack-tcp-timeout-established=0s",
    "--conntrack-tcp-timeout-close-wait=0s",
  ]);
  proxy.stderr?.resume();
  await until(async () => (await sample("sync_proxy_rules_last_timestamp_seconds")) > 0);
  const startMs = systemClock.monotonicMs() - began;
  await systemClock.sleep(3000);
  // Upstream's mode ipvs has no partial syncs.
  const isPartial = mode !== "ipvs";
  const full = await mean(`sync_${isPartial ? "full_" : ""}proxy_rules_duration_seconds`);
  const before = await syncs(isPartial);
  for (let index = 0; index < changes; index++) {
    await createService(client, 20_000 + index);
    await systemClock.sleep(1500);
  }
  const after = await syncs(isPartial);
  const partialMs = ((after.sum - before.sum) / Math.max(1, after.count - before.count)) * 1000;
  const memory = await cluster.sh(`grep VmRSS /proc/${proxy.pid}/status`).catch(() => "");
  proxy.kill();
  for (let index = 0; index < changes; index++) {
    const ref = { namespace: "default", name: `service-${20_000 + index}` };
    await client.delete(services, ref);
    await client.delete(endpointSlices, ref);
  }
  await systemClock.sleep(1000);
  await cluster.run(ours[0] ?? "", [...ours.slice(1), "--cleanup"]);
  process.stdout.write(
    `${mode.padEnd(9)} ${name.padEnd(9)} ready ${(startMs / 1000).toFixed(2)} s, first sync ${(full * 1000).toFixed(0)} ms, ` +
      `one service more ${partialMs.toFixed(0)} ms (${after.count - before.count} syncs), ${memory.trim()}\n`,
  );
}

async function syncs(isPartial: boolean): Promise<{ sum: number; count: number }> {
  const name = `sync_${isPartial ? "partial_" : ""}proxy_rules_duration_seconds`;
  return { sum: await sample(`${name}_sum`), count: await sample(`${name}_count`) };
}

async function mean(name: string): Promise<number> {
  return (await sample(`${name}_sum`)) / (await sample(`${name}_count`));
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
  for (let tries = 0; tries < 600; tries++) {
    if (await check()) return;
    await systemClock.sleep(200);
  }
  throw new Error("the proxy did not become ready");
}
