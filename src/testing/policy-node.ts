import { once } from "node:events";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { namespaces, nodes, type Pod, pods } from "#/api/core/v1.ts";
import { type NetworkPolicy, networkPolicies } from "#/api/networking/v1.ts";
import type { Client } from "#/client/client.ts";
import { policyMetrics } from "#/policy/metrics.ts";
import { servePolicies } from "#/policy/serve-policies.ts";
import { logger } from "#/std/log/log.ts";
import { Registry } from "#/std/metrics/metrics.ts";
import { ProgramError } from "#/std/process/run-program.ts";
import { systemClock } from "#/std/time/clock.ts";
import type { NetworkNamespace } from "./network-namespace.ts";
import { TestNode } from "./pod-network-node.ts";
import { startApiServer, type TestApiServer } from "./start-api-server.ts";
import { until } from "./until.ts";

const self = {
  name: "n1",
  ips: ["192.168.7.1"],
  podCidrs: ["10.244.1.0/24", "fd00:244:1::/64"],
};

/** A Pod of the test: its network namespace, and its addresses. */
export interface PolicyPod {
  readonly net: NetworkNamespace;
  readonly ip: string;
  readonly ip6: string;
}

/** A node whose policies are enforced, with an API server. */
export class PolicyNode implements AsyncDisposable {
  readonly api: TestApiServer;
  readonly client: Client;
  readonly node: TestNode;
  #stop = new AbortController();
  #ended: Promise<void> = Promise.resolve();
  #count = 0;

  static async create(): Promise<PolicyNode> {
    const api = await startApiServer();
    const node = await TestNode.create(self);
    await node.network.apply(self, [self]);
    const made = new PolicyNode(api, node);
    for (const name of ["a", "b"]) {
      await made.client.create(namespaces, { metadata: { name, labels: { name } }, spec: {} });
    }
    await made.client.create(nodes, {
      metadata: { name: self.name },
      spec: { podCIDR: self.podCidrs[0], podCIDRs: self.podCidrs },
    } as never);
    await made.start();
    return made;
  }

  private constructor(api: TestApiServer, node: TestNode) {
    this.api = api;
    this.client = api.client();
    this.node = node;
  }

  /** Starts the program, as after a restart of the agent. */
  async start(): Promise<void> {
    const { namespace, directory } = this.node;
    this.#stop = new AbortController();
    // A process inside: its view of the network can be read without starting another one each time.
    const inside = namespace.start("sleep", ["infinity"]);
    const registry = new Registry();
    const ended = servePolicies(
      {
        client: this.client,
        nodeName: self.name,
        podCidrs: [],
        run: namespace.run,
        setKernelValue: (path, value) => namespace.sh(`echo ${value} > /proc/sys/${path}`),
        followRemovals: await namespace.followRemovals(),
        cniResults: [join(directory, "results")],
        readLinks: async () => readFileSync(`/proc/${inside.pid}/net/dev`, "utf8"),
        metrics: policyMetrics(registry),
        registry,
        statusAddress: "",
        clock: systemClock,
        log: logger("policy-test"),
      },
      this.#stop.signal,
    );
    this.#ended = ended;
  }

  /** Ends the program, as a kill does: it writes nothing more. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error("the test ends it"));
    await this.#ended;
  }

  /** Attaches a Pod to the bridge, and creates it in the API. */
  async addPod(
    namespace: string,
    name: string,
    metadata: Pod["metadata"] = {},
  ): Promise<PolicyPod> {
    const pod = await this.attachPod({ namespace, name });
    await this.createPod(namespace, name, [pod.ip, pod.ip6], metadata);
    return pod;
  }

  /** Attaches a Pod to the bridge, without an object in the API; the CNI plugins report its name if it is given. */
  async attachPod(pod?: { namespace: string; name: string }): Promise<PolicyPod> {
    const last = 5 + this.#count++;
    const [ip, ip6] = [`10.244.1.${last}`, `fd00:244:1::${last}`];
    if (last === 5) await this.node.addPod(ip, "10.244.1.1");
    const net = last === 5 ? this.node.pod : await this.node.addNeighbour(ip, "10.244.1.1");
    await net.sh(`ip addr add ${ip6}/64 dev eth0 nodad; ip route add default via fd00:244:1::1`);
    await this.#bind(net, [ip, ip6], pod);
    return { net, ip, ip6 };
  }

  /** The result of the CNI plugins with both addresses, so that the guard against false ones lets them pass. */
  async #bind(
    net: NetworkNamespace,
    ips: readonly string[],
    pod?: { namespace: string; name: string },
  ): Promise<void> {
    const file = join(this.node.directory, "results", `k8ts-${net.name}-eth0`);
    const link = this.#count === 1 ? "veth0" : `veth${this.#count - 1}`;
    const [inner] = JSON.parse(await net.sh("ip -j link show dev eth0")) as [{ address: string }];
    const interfaces = [
      { name: "cni0", mac: "" },
      { name: link, mac: "" },
      { name: "eth0", mac: inner.address, sandbox: net.name },
    ];
    const result = {
      interfaces,
      ips: ips.map((address) => ({ address: `${address}/24`, interface: 2 })),
    };
    // Another name: a result that has been read is not read again.
    const cniArgs = [
      ["K8S_POD_NAMESPACE", pod?.namespace],
      ["K8S_POD_NAME", pod?.name],
    ];
    await writeFile(`${file}-both`, JSON.stringify({ ...(pod ? { cniArgs } : {}), result }));
    await this.node.network.bindPods();
  }

  async createPod(
    namespace: string,
    name: string,
    ips: readonly string[],
    metadata: Pod["metadata"] = {},
    ports: readonly { name: string; containerPort: number; protocol?: string }[] = [],
  ): Promise<void> {
    const container = { name: "main", image: "image:1", ports: [...ports] };
    await this.client.create(pods, {
      metadata: { namespace, name, labels: { app: name }, ...metadata },
      spec: { nodeName: self.name, containers: [container] },
    } as Pod);
    await this.client.patch(
      pods,
      { namespace, name },
      { status: { phase: "Running", podIP: ips[0], podIPs: ips.map((ip) => ({ ip })) } },
      { type: "merge", subresource: "status" },
    );
  }

  async createPolicy(namespace: string, name: string, spec: NetworkPolicy["spec"]): Promise<void> {
    await this.client.create(networkPolicies, { metadata: { namespace, name }, spec });
  }

  [Symbol.asyncDispose] = async (): Promise<void> => {
    await this.stop();
    await this.node[Symbol.asyncDispose]();
    await this.api[Symbol.asyncDispose]();
  };
}

/** Limit of the time (s) in which a permitted connection is made. */
const connectSeconds = 1;

/** Whether a TCP connection can be made from a network namespace. */
export async function connects(from: NetworkNamespace, ip: string, port: number): Promise<boolean> {
  const command = ["-c", `exec 3<>/dev/tcp/${ip}/${port}`];
  try {
    await from.run("timeout", [String(connectSeconds), "bash", ...command]);
    return true;
  } catch (error) {
    if (error instanceof ProgramError) return false;
    throw error;
  }
}

/** Waits until connections can be made, or can't any more. */
export async function untilConnects(
  expected: boolean,
  from: NetworkNamespace,
  ip: string,
  port: number,
): Promise<void> {
  const what = `${ip}:${port} ${expected ? "answers" : "does not answer"}`;
  await until(what, async () => (await connects(from, ip, port)) === expected);
}

/** Listens on ports, and sends back what it receives. */
export async function echoAt(net: NetworkNamespace, ports: readonly number[]): Promise<void> {
  const script = `
    const { createServer } = require("node:net");
    let left = ${ports.length};
    for (const port of [${ports.join(", ")}])
      createServer((socket) => socket.on("error", () => {}).pipe(socket)).listen(port, "::", () => --left || console.log());
  `;
  const server = net.start(process.execPath, ["-e", script]);
  if (server.stdout) await once(server.stdout, "data");
}
