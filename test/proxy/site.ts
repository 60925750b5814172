import type { Protocol, Service, ServiceSpec } from "#/api/core/v1.ts";
import type { Endpoint, EndpointPort } from "#/api/discovery/v1.ts";
import { NetworkNamespace } from "#/testing/network-namespace.ts";
import type { ProxyMode } from "./node-namespace.ts";
import { ProxiedNode } from "./proxied-node.ts";

/**
 * A node with two pods, and a client outside on the same link. The node is called n1 and has
 * 192.168.9.1, the client 192.168.9.50, the pods 10.244.1.2 and 10.244.1.3.
 */
export class Site implements AsyncDisposable {
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

/** The part of a Service with a node port. */
export const nodePort = (port: number) => ({
  type: "NodePort" as const,
  ports: [{ port: 80, protocol: "TCP" as const, nodePort: port }],
});
