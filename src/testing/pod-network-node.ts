import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NetworkNode } from "#/network/network-node.ts";
import { PodNetwork } from "#/network/pod-network.ts";
import { logger } from "#/std/log/log.ts";
import { NetworkNamespace } from "./network-namespace.ts";

/** An address with the length of a node's network. */
const withLength = (address: string): string => `${address}/${address.includes(":") ? 64 : 24}`;

/** A node in a namespace, with one pod in another. */
export class TestNode implements AsyncDisposable {
  readonly namespace: NetworkNamespace;
  readonly pod: NetworkNamespace;
  readonly #morePods: NetworkNamespace[] = [];
  readonly node: NetworkNode;
  readonly network: PodNetwork;
  readonly directory: string;

  /** `iptables` is the variant that the machine uses: iptables itself, or iptables-legacy. */
  static async create(
    node: NetworkNode,
    iptables = "iptables",
    { antiSpoofing = true } = {},
  ): Promise<TestNode> {
    const directory = await mkdtemp(join(tmpdir(), "network-"));
    await mkdir(join(directory, "results"));
    const [namespace, pod] = [await NetworkNamespace.create(), await NetworkNamespace.create()];
    return new TestNode(node, directory, namespace, pod, { iptables, antiSpoofing });
  }

  private constructor(
    node: NetworkNode,
    directory: string,
    namespace: NetworkNamespace,
    pod: NetworkNamespace,
    { iptables, antiSpoofing }: { readonly iptables: string; readonly antiSpoofing: boolean },
  ) {
    this.node = node;
    this.directory = directory;
    this.namespace = namespace;
    this.pod = pod;
    this.network = new PodNetwork({
      cniDir: directory,
      bridge: "cni0",
      clusterCidrs: ["10.244.0.0/16", "fd00:244::/32"],
      backend: "auto",
      mtu: 0,
      vxlan: { id: 1, port: 8472 },
      masquerade: true,
      antiSpoofing,
      cniResults: [join(directory, "results")],
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
      ip addr add ${address} dev eth0 ${address.includes(":") ? "nodad" : ""}
      ip link set eth0 up
    `);
    await other.sh(`ip link set ${link} up`);
  }

  /** Attaches the pod to the bridge, as the CNI plugin does. */
  async addPod(address: string, gateway: string): Promise<void> {
    await this.#attach(this.pod, "veth0", address, gateway);
    await this.#writeResult(this.pod, "veth0", address);
  }

  /** Attaches the pod, which the CNI plugins have not reported yet: the function that is returned does so. */
  async addUnreportedPod(address: string, gateway: string): Promise<() => Promise<void>> {
    await this.#attach(this.pod, "veth0", address, gateway);
    return () => this.#writeResult(this.pod, "veth0", address);
  }

  /** Adds another pod. */
  async addNeighbour(address: string, gateway: string): Promise<NetworkNamespace> {
    const pod = await NetworkNamespace.create();
    this.#morePods.push(pod);
    const link = `veth${this.#morePods.length}`;
    await this.#attach(pod, link, address, gateway);
    await this.#writeResult(pod, link, address);
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
      ip addr add ${withLength(address)} dev eth0 ${address.includes(":") ? "nodad" : ""}
      ip link set eth0 up
      ip route add default via ${gateway}
    `);
  }

  /** The result of the CNI plugins, as libcni keeps it; removing the link removes the Pod's. */
  async #writeResult(pod: NetworkNamespace, link: string, address: string): Promise<void> {
    const [inner] = JSON.parse(await pod.sh("ip -j link show dev eth0")) as [{ address: string }];
    const interfaces = [
      { name: "cni0", mac: "" },
      { name: link, mac: "" },
      { name: "eth0", mac: inner.address, sandbox: pod.name },
    ];
    const ips = [{ address: withLength(address), interface: 2 }];
    const file = join(this.directory, "results", `k8ts-${pod.name}-eth0`);
    await writeFile(file, JSON.stringify({ result: { interfaces, ips } }));
    await this.network.bindPods();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const pod of [this.pod, ...this.#morePods]) await pod[Symbol.asyncDispose]();
    await this.namespace[Symbol.asyncDispose]();
    await rm(this.directory, { recursive: true });
  }
}
