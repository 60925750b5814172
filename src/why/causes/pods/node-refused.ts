import { type Pod, pods } from "#/api/core/v1.ts";
import { cause } from "../../base/cause.ts";
import { names, oneLine } from "../../base/text.ts";

/** The kubelet's reasons for a Pod that it does not admit. */
const reasons =
  /^(?:OutOf.*|NodeAffinity|NodePorts|NodeName|TaintToleration|NodeUnschedulable|PodOS.*|SysctlForbidden|AppArmor|TopologyAffinityError|UnexpectedAdmissionError|EmptyPodSharedPoolError|SupplementalGroupsPolicyNotSupported|PodLevelResourcesNotSupported|PodLevelResourcesNotAdmitted|VolumeAttachmentLimitExceeded|InvalidNodeInfo|PodFeatureUnsupported|.*NotSupported|Predicate.*)$/;

export const nodeRefused = cause<Pod>({
  name: "node-refused-pod",
  layer: "node",
  group: "pod failed",
  of: [pods],
  find({ status, spec }) {
    if (status?.phase !== "Failed" || !reasons.test(status.reason ?? "")) return undefined;
    const said = oneLine((status.message ?? "").replace(/^Pod was rejected: /, ""), 200);
    const selector = Object.entries(spec.nodeSelector ?? {}).map(
      ([key, value]) => `${key}=${value}`,
    );
    const wanted = status.reason === "NodeAffinity" && selector.length > 0;
    return {
      sentence: `node ${spec.nodeName} refused it (${status.reason})${said ? `: ${said}` : ""}${wanted ? ` (it wants ${names(selector)})` : ""}`,
      fix: [
        "# a Pod that a node has refused is not tried again: delete it, and its controller makes another",
      ],
    };
  },
});
