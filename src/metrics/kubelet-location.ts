/** Upstream: sigs.k8s.io/metrics-server, pkg/scraper/client/resource/client.go, pkg/utils/address_resolver.go. */
import type { Node } from "#/api/core/v1.ts";

/** The annotation of a node with another path of its metrics. */
const pathAnnotation = "metrics.k8s.io/resource-metrics-path";

/** The flags that determine where a kubelet is. */
export interface KubeletPlace {
  readonly "deprecated-kubelet-completely-insecure": boolean;
  readonly "kubelet-port": number;
  readonly "kubelet-preferred-address-types": readonly string[];
  readonly "kubelet-use-node-status-port": boolean;
}

/** The URL of the resource metrics of a node's kubelet. Throws if the node has no suitable address. */
export function kubeletLocation({ metadata, status }: Node, flags: KubeletPlace): URL {
  const types = flags["kubelet-preferred-address-types"];
  const address = types
    .map((type) => status?.addresses?.find((candidate) => candidate.type === type)?.address)
    .find((candidate) => candidate !== undefined);
  if (address === undefined) throw new Error(`no address matched types [${types.join(" ")}]`);
  const host = address.includes(":") ? `[${address}]` : address;
  const reported = status?.daemonEndpoints?.kubeletEndpoint?.Port ?? 0;
  const port =
    flags["kubelet-use-node-status-port"] && reported !== 0 ? reported : flags["kubelet-port"];
  const scheme = flags["deprecated-kubelet-completely-insecure"] ? "http" : "https";
  const url = new URL(`${scheme}://${host}:${port}`);
  url.pathname = metadata.annotations?.[pathAnnotation] || "/metrics/resource";
  return url;
}
