import { pods } from "#/api/core/v1.ts";
import { forbidden } from "#/machinery/meta/status-error.ts";
import { admissionPlugin } from "../base/admission-plugin.ts";

const hostname = "kubernetes.io/hostname";

/**
 * Required anti-affinity of pods may have the topology of a node only, not of a zone.
 * Upstream: plugin/pkg/admission/antiaffinity/admission.go.
 */
export const limitPodHardAntiAffinityTopology = admissionPlugin({
  name: "LimitPodHardAntiAffinityTopology",
  offByDefault: true,
  on: pods,
  operations: ["CREATE", "UPDATE"],
  validate({ object: { metadata, spec }, resource }) {
    const { requiredDuringSchedulingIgnoredDuringExecution: terms = [] } =
      spec.affinity?.podAntiAffinity ?? {};
    const wide = terms.find(({ topologyKey }) => topologyKey !== hostname);
    if (!wide) return;
    throw forbidden(
      resource,
      metadata.name ?? "",
      `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${wide.topologyKey} but only key ${hostname} is allowed`,
    );
  },
});
