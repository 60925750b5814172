/** Upstream: staging/src/k8s.io/cloud-provider/service/helpers/helper.go. */
import type { Service } from "#/api/core/v1.ts";
import { formatCidr, network, parseCidr } from "#/std/net/cidr.ts";

const annotation = "service.beta.kubernetes.io/load-balancer-source-ranges";

/** The networks of a Service's clients, in order of their text; everywhere if it names none. */
export function sourceRanges({ metadata, spec }: Service): string[] {
  const ranges = spec?.loadBalancerSourceRanges ?? [];
  if (ranges.length > 0) {
    return parse(ranges, (bad) => {
      const all = `[${ranges.join(" ")}]`;
      const advice = "Expecting a list of IP ranges. For example, 10.0.0.0/24.";
      return `service.Spec.LoadBalancerSourceRanges: ${all} is not valid. ${advice} Error msg: invalid CIDR address: ${bad}`;
    });
  }
  const text = (metadata?.annotations?.[annotation] ?? "").trim() || "0.0.0.0/0";
  const advice =
    "Expecting a comma-separated list of source IP ranges. For example, 10.0.0.0/24,192.168.2.0/24";
  return parse(text.split(","), () => `${annotation}: ${text} is not valid. ${advice}`);
}

function parse(ranges: readonly string[], message: (bad: string) => string): string[] {
  const parsed = ranges.map((range) => {
    const cidr = parseCidr(range.trim());
    if (!cidr) throw new Error(message(range));
    return formatCidr(network(cidr));
  });
  return [...new Set(parsed)].toSorted();
}

/** The health check node port of a Service with local traffic; undefined if it has none. */
export function localHealthPort({ spec }: Service): number | undefined {
  if (spec?.type !== "LoadBalancer" || spec.externalTrafficPolicy !== "Local") return undefined;
  return spec.healthCheckNodePort || undefined;
}

/** The path of kube-proxy's health checks of Services. */
export const localHealthPath = "/healthz";
