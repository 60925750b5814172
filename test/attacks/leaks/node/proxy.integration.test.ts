import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { namespaces, nodes, services } from "#/api/core/v1.ts";
import { endpointSlices } from "#/api/discovery/v1.ts";
import { serviceCIDRs } from "#/api/networking/v1.ts";
import type { Client } from "#/client/client.ts";
import { mayMakeNamespaces, NetworkNamespace } from "#/testing/network-namespace.ts";
import { startTlsServer, type TlsServer } from "#/testing/start-tls-server.ts";
import { until } from "#/testing/until.ts";
import { Program, writeKubeconfig } from "./program.ts";

const skip = !mayMakeNamespaces && "needs root";
const namespace = "default";
/** Services of a series. */
const count = 25;

/** Makes the server reachable inside of a network namespace, at the same port. */
async function admit(server: TlsServer, inside: NetworkNamespace, folder: string) {
  const path = join(folder, "api.sock");
  const outside = createServer((socket) => {
    const other = connect(server.port, "127.0.0.1");
    socket.pipe(other).pipe(socket);
    for (const each of [socket, other]) each.on("error", () => undefined);
  });
  outside.listen(path);
  await once(outside, "listening");
  const script = `const net = require("node:net");
    net.createServer((socket) => {
      const other = net.connect(${JSON.stringify(path)});
      socket.pipe(other).pipe(socket);
      for (const each of [socket, other]) each.on("error", () => undefined);
    }).listen(${server.port}, "127.0.0.1", () => console.log())`;
  const forwarder = inside.start(process.execPath, ["-e", script]);
  if (forwarder.stdout) await once(forwarder.stdout, "data");
  return { [Symbol.dispose]: () => void outside.close() };
}

async function createService(client: Client, name: string, index: number): Promise<void> {
  const ports = [{ name: "web", port: 80, protocol: "TCP" as const, nodePort: 30_000 + index }];
  const spec = {
    clusterIP: `10.96.7.${index + 1}`,
    clusterIPs: [`10.96.7.${index + 1}`],
    type: "LoadBalancer" as const,
    externalTrafficPolicy: "Local" as const,
    healthCheckNodePort: 31_000 + index,
    sessionAffinity: "ClientIP" as const,
    loadBalancerSourceRanges: [`192.0.2.${index + 1}/32`],
    externalIPs: [`198.51.100.${index + 1}`],
    selector: { app: name },
    ports,
  };
  await client.create(services, { metadata: { name, namespace }, spec });
  await client.create(endpointSlices, {
    metadata: { name, namespace, labels: { "kubernetes.io/service-name": name } },
    addressType: "IPv4",
    endpoints: [1, 2].map((host) => ({
      addresses: [`10.244.${host}.${index + 1}`],
      nodeName: "leaks",
      conditions: { ready: true },
    })),
    ports: [{ name: "web", port: 8080, protocol: "TCP" }],
  });
}

test("kube-proxy keeps nothing of Services that are gone", { skip }, async () => {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "leaks-proxy-"));
  stack.defer(() => rm(folder, { recursive: true }));
  const server = stack.use(await startTlsServer());
  const inside = stack.use(await NetworkNamespace.create());
  stack.use(await admit(server, inside, folder));
  const client = server.secured.api.client();
  await client
    .create(namespaces, { metadata: { name: namespace }, spec: {} })
    .catch(() => undefined);
  const cidrs = { cidrs: ["10.96.0.0/16"] };
  await client.create(serviceCIDRs, { metadata: { name: "kubernetes" }, spec: cidrs });
  const addresses = [{ type: "InternalIP" as const, address: "192.168.7.1" }];
  const node = { metadata: { name: "leaks" }, spec: { podCIDR: "10.244.1.0/24" } };
  await client.create(nodes, { ...node, status: { addresses } });
  await inside.sh(
    "ip link add eth0 type veth peer name eth1; ip addr add 192.168.7.1/24 dev eth0; ip link set eth0 up",
  );
  const kubeconfig = join(folder, "kubeconfig");
  await writeKubeconfig(kubeconfig, server);
  const proxy = stack.use(
    new Program(
      "kube-proxy",
      [
        `--kubeconfig=${kubeconfig}`,
        "--proxy-mode=nftables",
        "--hostname-override=leaks",
        "--conntrack-max-per-core=0",
        "--conntrack-tcp-timeout-established=0",
        "--conntrack-tcp-timeout-close-wait=0",
        "--healthz-bind-address=127.0.0.1:10256",
        "--metrics-bind-address=127.0.0.1:10249",
        "--detect-local-mode=NodeCIDR",
      ],
      inside.enter([]),
    ),
  );
  const healthPorts = async (): Promise<number> => {
    const listening = /:([0-9A-F]{4}) 0{8}:0000 0A/g;
    const ports = [...(await inside.sh("cat /proc/net/tcp")).matchAll(listening)];
    return ports.filter(([, port]) => Math.floor(Number(`0x${port}`) / 1000) === 31).length;
  };
  const rules = () => inside.sh("nft list ruleset");
  const series = async (prefix: string): Promise<void> => {
    const names = Array.from({ length: count }, (_, index) => `${prefix}-${index}x`);
    for (const [index, name] of names.entries()) await createService(client, name, index);
    await until("all rules are written", async () => {
      const text = await rules();
      return names.every((name) => text.includes(name)) && text.includes(`10.244.2.${count}`);
    }).catch((error: Error) => {
      throw new Error(`${error.message}\n${proxy.output.slice(-2000)}`);
    });
    await until("the health check ports are open", async () => (await healthPorts()) === count);
    for (const name of names) {
      await client.delete(services, { name, namespace });
      await client.delete(endpointSlices, { name, namespace });
    }
    await until(
      "all rules are gone",
      async () => !/10\.96\.7|10\.244\.[12]\.\d+ /.test(await rules()),
    );
  };
  // Affinity sets and chains of removed Services are deleted with a later change, as upstream's.
  const change = async (): Promise<void> => {
    await createService(client, "living", 250);
    await until("a Service is written", async () => (await rules()).includes("living"));
    await client.delete(services, { name: "living", namespace });
    await client.delete(endpointSlices, { name: "living", namespace });
    await until(
      "the rules of a Service are gone",
      async () => !/10\.96\.7|10\.244\.[12]\.\d+ /.test(await rules()),
    );
  };
  await series("warm");
  await change();
  const [base, files] = [await rules(), proxy.openFiles()];
  await series("leak");
  await until("the rules are as before", async () => {
    await change();
    return lines(await rules()) <= lines(base);
  });
  const pattern = /leak-\d+x|(10\.96\.7|192\.0\.2|198\.51\.100|10\.244\.[12])\.\d{1,2}\b(?!\.)/g;
  assert.ok((await proxy.findTexts(/192\.168\.7\.1/g)).size > 0, "the search finds what is there");
  await proxy.untilForgotten(pattern, change);
  await until("sockets are closed", () => proxy.openFiles() <= files);
});

const lines = (text: string): number => text.split("\n").length;
