import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import type { Protocol, Service, ServiceSpec } from "#/api/core/v1.ts";
import type { Endpoint, EndpointPort } from "#/api/discovery/v1.ts";
import { forgetStaleFlows } from "#/proxy/conntrack/forget-stale-flows.ts";
import { logger } from "#/std/log/log.ts";
import { systemClock } from "#/std/time/clock.ts";
import { NetworkNamespace } from "#/testing/network-namespace.ts";
import { until } from "#/testing/until.ts";
import { type ProxyMode, proxyModes } from "./node-namespace.ts";
import { ProxiedNode } from "./proxied-node.ts";

/**
 * A node with two pods, and a client outside on the same link. The node is called n1 and has
 * 192.168.9.1, the client 192.168.9.50, the pods 10.244.1.2 and 10.244.1.3.
 */
class Site implements AsyncDisposable {
  readonly node: ProxiedNode;
  readonly client: NetworkNamespace;
  readonly pods: readonly NetworkNamespace[];
  readonly #stack: AsyncDisposableStack;

  static async create(mode: ProxyMode): Promise<Site> {
    await using stack = new AsyncDisposableStack();
    const make = async (): Promise<NetworkNamespace> => stack.use(await NetworkNamespace.create());
    const [node, client] = [await make(), await make()];
    const pods = [await make(), await make()];
    await node.sh(`
      ip link add eth0 type veth peer name eth0 netns ${client.name}
      ip addr add 192.168.9.1/24 dev eth0; ip link set eth0 up
      ip link add cni0 type bridge; ip addr add 10.244.1.1/24 dev cni0; ip link set cni0 up
      ip route add default via 192.168.9.50
      echo 1 > /proc/sys/net/ipv4/ip_forward
      echo 1 > /proc/sys/net/bridge/bridge-nf-call-iptables
    `);
    if (mode === "ipvs") {
      for (const name of ["conntrack", "expire_nodest_conn", "expire_quiescent_template"]) {
        await node.sh(`echo 1 > /proc/sys/net/ipv4/vs/${name}`);
      }
    }
    await client.sh(`
      ip addr add 192.168.9.50/24 dev eth0; ip link set eth0 up
      for net in 10.96.0.0/16 10.244.1.0/24 172.30.0.0/16; do ip route add $net via 192.168.9.1; done
    `);
    for (const [index, pod] of pods.entries()) {
      await node.sh(`
        ip link add pod${index} type veth peer name eth0 netns ${pod.name}
        ip link set pod${index} master cni0 up
        bridge link set dev pod${index} hairpin on
      `);
      await pod.sh(`
        ip addr add 10.244.1.${index + 2}/24 dev eth0; ip link set eth0 up
        ip route add default via 10.244.1.1
      `);
      await pod.serveAddresses(8080, `pod${index}`);
    }
    return new Site(new ProxiedNode(node, mode), client, pods, stack.move());
  }

  private constructor(
    node: ProxiedNode,
    client: NetworkNamespace,
    pods: readonly NetworkNamespace[],
    stack: AsyncDisposableStack,
  ) {
    this.node = node;
    this.client = client;
    this.pods = pods;
    this.#stack = stack;
  }

  /** Adds a service with these endpoints, given by the pods' numbers; others are elsewhere. */
  add(
    name: string,
    spec: Partial<ServiceSpec>,
    pods: readonly number[],
    ingress: string[] = [],
    protocol: Protocol = "TCP",
    targetPort = 8080,
  ): void {
    const service: Service = {
      metadata: { name, namespace: "default" },
      spec: { ports: [{ port: 80, protocol: "TCP" }], type: "ClusterIP", ...spec },
      status: { loadBalancer: { ingress: ingress.map((ip) => ({ ip })) } },
    };
    const endpoints: Endpoint[] = pods.map((pod) => ({
      addresses: [`10.244.1.${pod + 2}`],
      nodeName: "n1",
      conditions: { ready: true },
    }));
    const ports: EndpointPort[] = [{ name: "", port: targetPort, protocol }];
    const labels = { "kubernetes.io/service-name": name };
    const metadata = { name, namespace: "default", labels };
    this.node.set(service, { metadata, addressType: "IPv4", endpoints, ports });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

const nodePort = (port: number) => ({
  type: "NodePort" as const,
  ports: [{ port: 80, protocol: "TCP" as const, nodePort: port }],
});

/** Limit of the time of a connection (ms): after it, the packet counts as dropped. */
const dropMs = 1000;

/** How long a refused or dropped connection took, in milliseconds, and that it failed. */
async function failure(from: NetworkNamespace, host: string, port: number): Promise<number> {
  const began = systemClock.monotonicMs();
  await assert.rejects(from.askAddress(host, port, dropMs));
  return systemClock.monotonicMs() - began;
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
      assert((await failure(first, "10.96.0.3", 80)) < dropMs);
      assert((await failure(client, "192.168.9.1", 30_003)) < dropMs);
    });
    await t.test("a port that a service doesn't have is refused, too", async () => {
      if (mode !== "iptables") assert((await failure(first, "10.96.0.2", 81)) < dropMs);
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
      assert((await failure(client, "172.30.0.8", 80)) > dropMs);
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
