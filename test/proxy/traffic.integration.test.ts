import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import type { ServiceSpec } from "#/api/core/v1.ts";
import { forgetStaleFlows } from "#/proxy/conntrack/forget-stale-flows.ts";
import { logger } from "#/std/log/log.ts";
import type { ProgramError } from "#/std/process/run-program.ts";
import type { NetworkNamespace } from "#/testing/network-namespace.ts";
import { until } from "#/testing/until.ts";
import { proxyModes } from "./node-namespace.ts";
import { nodePort, Site } from "./site.ts";

/** Limit of the time of a connection (ms): after it, the packet counts as dropped. */
const dropMs = 1000;

/** How a connection fails: with an answer of the kernel, or without any. */
async function failure(
  from: NetworkNamespace,
  host: string,
  port: number,
): Promise<"refused" | "dropped"> {
  try {
    await from.askAddress(host, port, dropMs);
  } catch (error) {
    const { stderr } = error as ProgramError;
    if (stderr === "") return "dropped";
    assert.match(stderr, /ECONNREFUSED/);
    return "refused";
  }
  throw new Error(`${host}:${port} accepts connections`);
}

for (const { mode, options } of proxyModes) {
  test(`${mode}: packets reach the endpoints of services`, options, async (t) => {
    await using site = await Site.create(mode);
    const { node, client, pods } = site;
    const [first, second] = pods as [NetworkNamespace, NetworkNamespace];
    site.add("both", { clusterIP: "10.96.0.1" }, [0, 1]);
    site.add("own", { clusterIP: "10.96.0.2" }, [0]);
    site.add("none", { clusterIP: "10.96.0.3", ...nodePort(30_003) }, []);
    site.add("port", { clusterIP: "10.96.0.4", ...nodePort(30_004) }, [1]);
    const local = { externalTrafficPolicy: "Local" } as const;
    site.add("local", { clusterIP: "10.96.0.5", ...nodePort(30_005), ...local }, [1]);
    const clientIP = { timeoutSeconds: 60 };
    const sticky = { sessionAffinity: "ClientIP", sessionAffinityConfig: { clientIP } } as const;
    site.add("sticky", { clusterIP: "10.96.0.6", ...sticky }, [0, 1]);
    const balanced = (...loadBalancerSourceRanges: string[]): Partial<ServiceSpec> => {
      return { type: "LoadBalancer", loadBalancerSourceRanges };
    };
    const open = { clusterIP: "10.96.0.7", ...balanced("192.168.9.50/32") };
    site.add("open", open, [1], ["172.30.0.7"]);
    const closed = { clusterIP: "10.96.0.8", ...balanced("203.0.113.0/24") };
    site.add("closed", closed, [1], ["172.30.0.8"]);
    await node.sync(true);

    await t.test("a pod reaches all endpoints of a service, with its own address", async () => {
      const seen = new Set<string>();
      for (let tries = 0; tries < 40 && seen.size < 2; tries++) {
        seen.add(await first.askAddress("10.96.0.1", 80));
      }
      assert(seen.has("10.244.1.2 pod1"), [...seen].join());
      assert.equal(seen.size, 2);
    });
    await t.test("a pod reaches itself through its service", async () => {
      assert.equal(await first.askAddress("10.96.0.2", 80), "10.244.1.1 pod0");
    });
    await t.test("a service without endpoints refuses at once", async () => {
      assert.equal(await failure(first, "10.96.0.3", 80), "refused");
      assert.equal(await failure(client, "192.168.9.1", 30_003), "refused");
    });
    await t.test("a port that a service doesn't have is refused, too", async () => {
      if (mode === "iptables") return;
      assert.equal(await failure(first, "10.96.0.2", 81), "refused");
    });
    await t.test("a node port is reached from outside, with the node's address", async () => {
      assert.equal(await client.askAddress("192.168.9.1", 30_004), "10.244.1.1 pod1");
    });
    await t.test("with policy Local the client keeps its address", async () => {
      assert.equal(await client.askAddress("192.168.9.1", 30_005), "192.168.9.50 pod1");
    });
    await t.test("cluster IPs can be reached from outside, with the node's address", async () => {
      assert.equal(await client.askAddress("10.96.0.4", 80), "10.244.1.1 pod1");
    });
    await t.test("the node itself reaches services", async () => {
      assert.match(await node.namespace.askAddress("10.96.0.4", 80), /pod1$/);
      assert.match(await node.namespace.askAddress("192.168.9.1", 30_005), /pod1$/);
    });
    await t.test("session affinity keeps a client's endpoint", async () => {
      const seen = new Set<string>();
      for (let tries = 0; tries < 8; tries++) seen.add(await second.askAddress("10.96.0.6", 80));
      assert.equal(seen.size, 1);
    });
    await t.test("a load balancer's address accepts only its source ranges", async () => {
      assert.equal(await client.askAddress("172.30.0.7", 80), "10.244.1.1 pod1");
      assert.equal(await failure(client, "172.30.0.8", 80), "dropped");
    });
    await t.test("UDP flows to removed endpoints are dropped from conntrack", async () => {
      const dns = { clusterIP: "10.96.0.9", ports: [{ port: 53, protocol: "UDP" as const }] };
      site.add("udp", dns, [1], [], "UDP");
      await node.sync(false);
      await first.sh("echo | timeout 1 bash -c 'cat > /dev/udp/10.96.0.9/53'");
      const flows = (): Promise<string> => node.namespace.sh("conntrack -L -p udp 2>/dev/null");
      assert.match(await flows(), /dst=10\.96\.0\.9 .*src=10\.244\.1\.3/);
      site.add("udp", dns, [0], [], "UDP");
      await node.sync(false);
      const ports = node.families[0]?.tracker.ports() ?? [];
      const { run } = node.namespace;
      const deleted = await forgetStaleFlows("IPv4", ports, { run, log: logger("test") });
      // ipvs itself deletes the flows of a real server that is removed.
      if (mode !== "ipvs") assert.equal(deleted, 1);
      assert.doesNotMatch(await flows(), /10\.96\.0\.9/);
    });
    await t.test("a change is in effect with the next sync", async () => {
      site.add("own", { clusterIP: "10.96.0.2" }, [1]);
      await node.sync(false);
      assert.equal(await first.askAddress("10.96.0.2", 80), "10.244.1.2 pod1");
    });
  });
}

const ipvs = proxyModes.find(({ mode }) => mode === "ipvs");

test("ipvs: connections outlive the removal of their endpoint", ipvs?.options, async () => {
  await using site = await Site.create("ipvs");
  const { node, pods } = site;
  const [first, second] = pods as [NetworkNamespace, NetworkNamespace];
  const [backend] = node.families.map((each) => each.backend);
  const server = `require("node:net").createServer((each) => each.pipe(each)).listen(8081, () => console.log())`;
  const { stdout: started } = second.start(process.execPath, ["-e", server]);
  if (started) await once(started, "data");
  site.add("own", { clusterIP: "10.96.0.2" }, [1], [], "TCP", 8081);
  await node.sync(true);
  const client = `const server = require("node:net").connect(80, "10.96.0.2");
    server.pipe(process.stdout);
    process.on("SIGTERM", () => server.resetAndDestroy().on("close", () => process.exit()));
    setInterval(() => server.write("."), 50)`;
  const talk = first.start(process.execPath, ["-e", client]);
  const isAnswered = async (): Promise<void> => {
    assert(talk.stdout);
    await once(talk.stdout, "data");
  };
  await isAnswered();
  site.add("own", { clusterIP: "10.96.0.2" }, [0], [], "TCP");
  await node.sync(false);
  const listed = (): Promise<string> => node.namespace.sh("ipvsadm -Ln -t 10.96.0.2:80");
  assert.match(await listed(), /10\.244\.1\.3:8081 +Masq +0 /);
  // The second answer is to a message of now.
  await isAnswered();
  await isAnswered();
  assert.match(await first.askAddress("10.96.0.2", 80), / pod0$/);
  await backend?.removeIdle?.();
  assert.match(await listed(), /10\.244\.1\.3/);
  // ipvs forgets a connection ten seconds after its reset.
  talk.kill();
  await until("the endpoint is removed", async () => {
    await backend?.removeIdle?.();
    return !(await listed()).includes("10.244.1.3");
  });
});
