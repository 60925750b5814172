import type { Logger } from "#/std/log/log.ts";
import type { RunProgram } from "#/std/process/run-program.ts";
import type { Endpoint } from "./base/endpoint.ts";
import { hostPort, type IpFamily } from "./base/ip-family.ts";
import type { ServicePort } from "./base/service-port.ts";
import { parseFlows, type UdpFlow } from "./parse-flows.ts";

type PortWithEndpoints = { port: ServicePort; endpoints: readonly Endpoint[] };

/**
 * The flows to removed endpoints: the kernel would continue to use them as long as packets arrive.
 * Upstream: pkg/proxy/conntrack/cleanup.go.
 */
function staleFlows(flows: readonly UdpFlow[], ports: Iterable<PortWithEndpoints>): UdpFlow[] {
  const byAddress = new Map<string, ReadonlySet<string>>();
  const byNodePort = new Map<number, ReadonlySet<string>>();
  for (const { port, endpoints } of ports) {
    if (port.protocol !== "UDP") continue;
    const serving = new Set(endpoints.filter((each) => each.serving).map(({ address }) => address));
    for (const ip of [port.clusterIp, ...port.loadBalancerIps, ...port.externalIps]) {
      byAddress.set(hostPort(ip, port.port), serving);
    }
    if (port.nodePort !== 0 && serving.size > 0) byNodePort.set(port.nodePort, serving);
  }
  return flows.filter(({ destination, port, answeredBy, answeredPort }) => {
    const endpoints = byAddress.get(hostPort(destination, port)) ?? byNodePort.get(port);
    return endpoints !== undefined && !endpoints.has(hostPort(answeredBy, answeredPort));
  });
}

/** Deletes stale UDP flows from the kernel, and returns their number. */
export async function forgetStaleFlows(
  family: IpFamily,
  ports: Iterable<PortWithEndpoints>,
  { run, log }: { readonly run: RunProgram; readonly log: Logger },
): Promise<number> {
  const args = ["-f", family.toLowerCase(), "-p", "udp"];
  const stale = staleFlows(parseFlows(await run("conntrack", ["-L", ...args])), ports);
  const once = new Map(stale.map((flow) => [JSON.stringify(flow), flow]));
  for (const { destination, port, answeredBy, answeredPort } of once.values()) {
    const flow = ["--orig-dst", destination, "--orig-port-dst", String(port)];
    flow.push("--reply-src", answeredBy, "--reply-port-src", String(answeredPort));
    // Deleting fails if the flow has ended meanwhile.
    const failed = (error: unknown): void =>
      log.v(2, "failed to delete conntrack entries", { flow: flow.join(" "), error });
    await run("conntrack", ["-D", ...args, ...flow]).catch(failed);
  }
  return stale.length;
}
