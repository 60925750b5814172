import { type Pod, pods } from "#/api/core/v1.ts";
import { cause } from "../../base/cause.ts";
import { oneLine } from "../../base/text.ts";

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
    return {
      sentence: `node ${spec.nodeName} refused it (${status.reason})${said ? `: ${said}` : ""}`,
      fix: [
        "# a Pod that a node has refused is not tried again: delete it, and its controller makes another",
      ],
    };
  },
});
