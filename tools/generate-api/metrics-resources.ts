import type { Resource } from "../../src/api/base/resource.ts";
import type { ServedVersion } from "./discovery.ts";

/**
 * The resource metrics API, which an extension server serves, so that kube-apiserver's discovery does not list it. The
 * names are those of the clients in k8s.io/metrics, the rest is what every metrics server says in its own discovery.
 */
export const metricsVersions: readonly ServedVersion[] = ["v1beta1", "v1"].map((version) => ({
  group: "metrics.k8s.io",
  version,
  resources: [
    metricsOf({ version, name: "nodes", kind: "NodeMetrics", namespaced: false }),
    metricsOf({ version, name: "pods", kind: "PodMetrics", namespaced: true }),
  ],
}));

function metricsOf(identity: Pick<Resource, "version" | "name" | "kind" | "namespaced">): Resource {
  return {
    group: "metrics.k8s.io",
    ...identity,
    singular: "",
    shortNames: [],
    categories: [],
    verbs: ["get", "list"],
    subresources: [],
  };
}
