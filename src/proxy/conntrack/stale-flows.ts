import type { Endpoint } from "../base/endpoint.ts";
import { hostPort } from "../base/ip-family.ts";
import type { ServicePort } from "../base/service-port.ts";
import type { UdpFlow } from "./parse-flows.ts";

export interface PortWithEndpoints {
  readonly port: ServicePort;
  readonly endpoints: readonly Endpoint[];
}

/**
 * The flows to removed endpoints: the kernel would continue to use them as long as packets arrive.
 * Upstream: pkg/proxy/conntrack/cleanup.go.
 */
export function staleFlows(
  flows: readonly UdpFlow[],
  ports: Iterable<PortWithEndpoints>,
): UdpFlow[] {
  const byAddress = new Map<string, ReadonlySet<string>>();
  const byNodePort = new Map<number, ReadonlySet<string>>();
  for (const { port, endpoints } of ports) {
    if (port.protocol !== "UDP") continue;
    const serving = new Set(endpoints.filter((each) => each.serving).map(({ address }) => address));
    for (const ip of [port.clusterIp, ...port.loadBalancerIps, ...port.externalIps]) {
      byAddress.set(hostPort(ip, port.port), serving);
    }
    // Without endpoints, flows of other programs to this port number would match.
    if (port.nodePort !== 0 && serving.size > 0) byNodePort.set(port.nodePort, serving);
  }
  return flows.filter(({ original, reply }) => {
    const endpoint = hostPort(reply.source, reply.sourcePort);
    const port = original.destinationPort;
    return [byAddress.get(hostPort(original.destination, port)), byNodePort.get(port)].some(
      (serving) => serving && !serving.has(endpoint),
    );
  });
}
