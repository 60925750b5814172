import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NetworkNode } from "#/network/network-node.ts";
import { PodNetwork } from "#/network/pod-network.ts";
import { logger } from "#/std/log/log.ts";
import { NetworkNamespace } from "./network-namespace.ts";

/** A node in a namespace, with one pod in another. */
export class TestNode implements AsyncDisposable {
  readonly namespace: NetworkNamespace;
  readonly pod: NetworkNamespace;
  readonly #morePods: NetworkNamespace[] = [];
  readonly node: NetworkNode;
  readonly network: PodNetwork;
  readonly directory: string;

  /** `iptables` is the variant that the machine uses: iptables itself, or iptables-legacy. */
  static async create(node: NetworkNode, iptables = "iptables"): Promise<TestNode> {
    const directory = await mkdtemp(join(tmpdir(), "network-"));
    const namespace = await NetworkNamespace.create();
    return new TestNode(node, directory, namespace, await NetworkNamespace.create(), iptables);
  }

  private constructor(
    node: NetworkNode,
    directory: string,
    namespace: NetworkNamespace,
    pod: NetworkNamespace,
    iptables: string,
  ) {
    this.node = node;
    this.directory = directory;
    this.namespace = namespace;
    this.pod = pod;
    this.network = new PodNetwork({
      cniDir: directory,
      bridge: "cni0",
      clusterCidrs: ["10.244.0.0/16"],
      backend: "auto",
      mtu: 0,
      vxlan: { id: 1, port: 8472 },
      masquerade: true,
      run: (program, args, input) =>
        namespace.run(
          program.replace(/^ip(6?)tables/, iptables.replace("ip", "ip$1")),
          args,
          input,
        ),
      getKernelValue: (path) => namespace.sh(`cat /proc/sys/${path}`),
      setKernelValue: async (path, value) => {
        await namespace.sh(`echo ${value} > /proc/sys/${path}`);
      },
      readProcNet: (file) => namespace.sh(`cat /proc/net/${file}`),
      log: logger("network-test"),
    });
  }

  /** Connects the node to another namespace, which has the link's other end. */
  async plugInto(other: NetworkNamespace, link: string, address: string): Promise<void> {
    await this.namespace.sh(`
      ip link add eth0 type veth peer name ${link} netns ${other.name}
      ip addr add ${address} dev eth0
      ip link set eth0 up
    `);
    await other.sh(`ip link set ${link} up`);
  }

  /** Attaches the pod to the bridge, as the CNI plugin does. */
  async addPod(address: string, gateway: string): Promise<void> {
    await this.#attach(this.pod, "veth0", address, gateway);
  }

  /** Adds another pod. */
  async addNeighbour(address: string, gateway: string): Promise<NetworkNamespace> {
    const pod = await NetworkNamespace.create();
    this.#morePods.push(pod);
    await this.#attach(pod, `veth${this.#morePods.length}`, address, gateway);
    return pod;
  }

  async #attach(
    pod: NetworkNamespace,
    link: string,
    address: string,
    gateway: string,
  ): Promise<void> {
    await this.namespace.sh(`
      ip link add ${link} type veth peer name eth0 netns ${pod.name}
      ip link set ${link} master cni0 up
    `);
    await pod.sh(`
      ip addr add ${address}/24 dev eth0
      ip link set eth0 up
      ip route add default via ${gateway}
    `);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const pod of [this.pod, ...this.#morePods]) await pod[Symbol.asyncDispose]();
    await this.namespace[Symbol.asyncDispose]();
    await rm(this.directory, { recursive: true });
  }
}
