import { nodes } from "#/api/core/v1.ts";
import { names } from "../../base/text.ts";
import { candidateNodes } from "../../facts/candidate-nodes.ts";
import { schedulingCause } from "../../facts/unschedulable.ts";

export const nodesCordoned = schedulingCause({
  name: "nodes-cordoned",
  texts: /^node\(s\) were unschedulable/,
  explain(_match, pod, view) {
    const cordoned = (candidateNodes(pod.spec, view) ?? view.list(nodes) ?? [])
      .filter(({ spec }) => spec?.unschedulable)
      .map(({ metadata }) => metadata.name ?? "");
    return {
      sentence: `no node takes new Pods: ${names(cordoned) || "every node"} ${cordoned.length > 1 ? "are" : "is"} cordoned (unschedulable)`,
      fix: cordoned.slice(0, 3).map((name) => `kubectl uncordon ${name}`),
    };
  },
});
