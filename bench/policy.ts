/**
 * How long a changed network policy takes until packets feel it, with many policies and Pods, on a real node in a network
 * namespace: `node bench/policy.ts [POLICIES] [PODS] [CHANGES]`. Datagrams go every millisecond; a policy that denies
 * them comes and goes.
 */
import { namespaces, type Pod, pods } from "#/api/core/v1.ts";
import { networkPolicies } from "#/api/networking/v1.ts";
import { forEachParallel } from "#/std/async/for-each-parallel.ts";
import { systemClock } from "#/std/time/clock.ts";
import { PolicyNode, type PolicyPod } from "#/testing/policy-node.ts";
import { until } from "#/testing/until.ts";

const policyCount = Number(process.argv[2] ?? 1000);
const podCount = Number(process.argv[3] ?? 10_000);
const changes = Number(process.argv[4] ?? 100);
const namespaceCount = 50;
const parallel = 32;
const port = 5000;

const indexes = (count: number) => Array.from({ length: count }, (_, index) => index);
const inParallel = (count: number, work: (index: number) => Promise<void>) =>
  forEachParallel(indexes(count), parallel, work, (error) => {
    throw error;
  });
const print = (text: string) => process.stdout.write(`${text}\n`);
const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;

/** Prints the time when answers stop for 100 ms (that of the last one), and when they begin again. */
async function startProbe(
  server: PolicyPod,
  client: PolicyPod,
): Promise<(state: string) => Promise<number>> {
  const echo = `const s = require("node:dgram").createSocket("udp4");
    s.on("message", (m, { port, address }) => s.send(m, port, address)).bind(${port});`;
  server.net.start(process.execPath, ["-e", echo]);
  const ask = `const s = require("node:dgram").createSocket("udp4");
    let last = 0, open = false;
    s.on("message", () => { last = Date.now(); if (!open) { open = true; console.log("open " + last); } });
    setInterval(() => {
      s.send("x", ${port}, "${server.ip}", () => {});
      if (open && Date.now() - last > 100) { open = false; console.log("closed " + last); }
    }, 1);`;
  const child = client.net.start(process.execPath, ["-e", ask]);
  let seen = "";
  child.stdout?.on("data", (data: Buffer) => {
    seen = data.toString().trim().split("\n").at(-1) ?? "";
  });
  return async (state) => {
    await until(`the way is ${state}`, () => seen.startsWith(state));
    return Number(seen.split(" ")[1]);
  };
}

await using node = await PolicyNode.create();
const server = await node.addPod("a", "server", { labels: { app: "server", slot: "0" } });
const client = await node.addPod("b", "client", { labels: { app: "client", slot: "1" } });
for (const index of indexes(20)) {
  const ip = `10.244.1.${100 + index}`;
  await node.createPod("a", `local-${index}`, [ip], { labels: { slot: String(index) } });
}
const way = await startProbe(server, client);
await way("open");
await inParallel(namespaceCount, async (index) => {
  const name = `ns-${index}`;
  await node.client.create(namespaces, { metadata: { name, labels: { name } }, spec: {} });
});
await inParallel(podCount, async (index) => {
  const [namespace, name] = [`ns-${index % namespaceCount}`, `pod-${index}`];
  const ip = `10.${100 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`;
  await node.client.create(pods, {
    metadata: { namespace, name, labels: { app: `app-${index % 100}` } },
    spec: { nodeName: `other-${index % 100}`, containers: [{ name: "main", image: "image:1" }] },
  } as Pod);
  const status = { phase: "Running", podIP: ip, podIPs: [{ ip }] };
  await node.client.patch(
    pods,
    { namespace, name },
    { status },
    { type: "merge", subresource: "status" },
  );
});
print(`${podCount} Pods in ${namespaceCount} namespaces, 22 of this node`);
const before = process.memoryUsage.rss();
const beganMs = systemClock.monotonicMs();
// Each selects a tenth of the node's Pods, and lets one application of one namespace connect.
await inParallel(policyCount, async (index) => {
  await node.createPolicy("a", `policy-${index}`, {
    podSelector: { matchLabels: { slot: String(2 + (index % 20)) } },
    policyTypes: ["Ingress"],
    ingress: [
      {
        from: [
          {
            namespaceSelector: { matchLabels: { name: `ns-${index % namespaceCount}` } },
            podSelector: { matchLabels: { app: `app-${index % 100}` } },
          },
        ],
        ports: [{ port: 1000 + index }],
      },
    ],
  });
});
const chains = async () =>
  (
    await node.node.namespace.sh(
      "nft -t list table inet k8ts-policy | grep -c 'chain ingress-.*policy-' || true",
    )
  ).trim();
const limitMs = 300_000;
await until("all policies are in force", async () => Number(await chains()) >= policyCount * 0.9, {
  limitMs,
});
print(`${policyCount} policies in force after ${seconds(systemClock.monotonicMs() - beganMs)}`);
print(
  `memory of the process: ${((process.memoryUsage.rss() - before) / 2 ** 20).toFixed(0)} MiB more`,
);
await node.createPolicy("b", "unrelated", {
  podSelector: {},
  policyTypes: ["Ingress"],
  ingress: [{}],
});
const times: number[] = [];
const cpu = process.cpuUsage();
for (const _ of indexes(changes)) {
  const closing = Date.now();
  await node.createPolicy("a", "deny", {
    podSelector: { matchLabels: { app: "server" } },
    policyTypes: ["Ingress"],
  });
  times.push((await way("closed")) - closing);
  const opening = Date.now();
  await node.client.delete(networkPolicies, { namespace: "a", name: "deny" });
  times.push((await way("open")) - opening);
}
const used = process.cpuUsage(cpu);
times.sort((a, b) => a - b);
const at = (share: number) => times[Math.min(times.length - 1, Math.floor(share * times.length))];
print(
  `${times.length} changes until packets feel them: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, worst ${times.at(-1)} ms`,
);
print(
  `processor time per change: ${((used.user + used.system) / 1000 / times.length).toFixed(1)} ms`,
);
