import { type Node, nodes } from "#/api/core/v1.ts";
import { cause } from "../../base/cause.ts";

export const nodeCordoned = cause<Node>({
  name: "node-cordoned",
  layer: "scheduling",
  isIntended: true,
  of: [nodes],
  find({ spec, metadata }) {
    if (!spec?.unschedulable) return undefined;
    const since = (spec.taints ?? []).find(
      ({ key }) => key === "node.kubernetes.io/unschedulable",
    )?.timeAdded;
    return {
      sentence: "it is cordoned (unschedulable), so it takes no new Pods",
      since,
      fix: [`kubectl uncordon ${metadata.name}`],
    };
  },
});
