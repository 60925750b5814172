import type { Pod } from "#/api/core/v1.ts";
import { isDNS1123Label, isDNS1123Subdomain } from "#/machinery/meta/names.ts";
import { goQuote } from "#/std/go/go-quote.ts";

/** The host name of a pod, and its domain; empty if it has none. */
interface HostName {
  readonly hostname: string;
  readonly domain: string;
}

/** Limit of the kernel: 64 bytes with the final zero. */
const hostnameMaxLength = 63;

/**
 * The host name of a pod.
 *
 * Upstream: pkg/kubelet/kubelet_pods.go.
 */
export function podHostname({ metadata, spec }: Pod, clusterDomain: string): HostName {
  const { name = "", namespace = "" } = metadata;
  if (spec.hostnameOverride !== undefined) {
    mustBe("HostnameOverride", spec.hostnameOverride, "DNS subdomain", isDNS1123Subdomain);
    return { hostname: truncate(name, spec.hostnameOverride), domain: "" };
  }
  if (spec.hostname) mustBe("Hostname", spec.hostname, "DNS label", isDNS1123Label);
  const hostname = truncate(name, spec.hostname || name);
  if (!spec.subdomain) return { hostname, domain: "" };
  mustBe("Subdomain", spec.subdomain, "DNS label", isDNS1123Label);
  return { hostname, domain: `${spec.subdomain}.${namespace}.svc.${clusterDomain}` };
}

function mustBe(
  field: string,
  value: string,
  what: string,
  check: (value: string) => readonly string[],
): void {
  const problems = check(value);
  if (problems.length > 0) {
    throw new Error(`pod ${field} ${goQuote(value)} is not a valid ${what}: ${problems.join(";")}`);
  }
}

function truncate(podName: string, hostname: string): string {
  if (hostname.length <= hostnameMaxLength) return hostname;
  const cut = hostname.slice(0, hostnameMaxLength).replace(/[-.]+$/, "");
  if (cut === "") {
    throw new Error(`hostname for pod ${goQuote(podName)} was invalid: ${goQuote(hostname)}`);
  }
  return cut;
}
