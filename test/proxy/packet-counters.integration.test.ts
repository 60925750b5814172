import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { proxyMetrics } from "#/proxy/base/metrics.ts";
import { ensureCounters, PacketCounters } from "#/proxy/iptables/packet-counters.ts";
import { Registry } from "#/std/metrics/metrics.ts";
import { mayMakeNamespaces, NetworkNamespace } from "#/testing/network-namespace.ts";
import { until } from "#/testing/until.ts";
import { nodePort, Site } from "./site.ts";

/** Whether the kernel has named counters (nfacct). */
async function hasCounters(): Promise<boolean> {
  if (!mayMakeNamespaces) return false;
  await using namespace = await NetworkNamespace.create();
  return (await ensureCounters(namespace.run)).size > 0;
}

const options = { skip: !(await hasCounters()) && "needs root, and a kernel with nfacct" };

/** A client that sends forever, of which the kernel knows nothing after `conntrack -F`. */
const talk = `const server = require("node:net").connect(80, "10.96.0.2");
  server.on("connect", () => console.log());
  server.on("error", () => 0);
  setInterval(() => server.write("."), 20)`;

test("iptables: packets counted by the kernel are metrics", options, async () => {
  await using site = await Site.create("iptables");
  const { node, client, pods } = site;
  const registry = new Registry();
  const counters = new PacketCounters(node.namespace.run, proxyMetrics(registry, "iptables"));
  const counted = async (name: string): Promise<number> => {
    await counters.update();
    const line = [...registry.expose()]
      .join("")
      .match(new RegExp(`^kubeproxy_iptables_${name} (\\d+)`, "m"));
    return Number(line?.[1] ?? Number.NaN);
  };
  const invalid = "ct_state_invalid_dropped_packets_total";
  const local = "localhost_nodeports_accepted_packets_total";
  await node.namespace.sh("echo 1 > /proc/sys/net/ipv4/conf/all/route_localnet");
  const listen = `require("node:net").createServer((each) => each.resume()).listen(8081, () => console.log())`;
  const server = pods[0]?.start(process.execPath, ["-e", listen]);
  if (server?.stdout) await once(server.stdout, "data");
  site.add("own", { clusterIP: "10.96.0.2" }, [0], [], "TCP", 8081);
  site.add("port", { clusterIP: "10.96.0.4", ...nodePort(30_004) }, [1]);
  await node.sync(true);
  assert.deepEqual([await counted(invalid), await counted(local)], [0, 0]);

  assert.match(await node.namespace.askAddress("127.0.0.1", 30_004), /pod1$/);
  assert.equal(await counted(local), 1);

  const talker = client.start(process.execPath, ["-e", talk]);
  if (talker.stdout) await once(talker.stdout, "data");
  assert.equal(await counted(invalid), 0);
  await node.namespace.sh(`
    echo 0 > /proc/sys/net/netfilter/nf_conntrack_tcp_loose
    conntrack -F
  `);
  await until("packets of an unknown connection are counted", async () => {
    return (await counted(invalid)) > 0;
  });
});
