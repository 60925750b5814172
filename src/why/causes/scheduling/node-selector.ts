import { type Node, nodes, type Pod } from "#/api/core/v1.ts";
import { compileNodeSelector } from "#/machinery/pods/node-affinity.ts";
import { names } from "../../base/text.ts";
import { schedulingCause } from "../../facts/unschedulable.ts";

export const nodeSelector = schedulingCause({
  name: "node-selector",
  texts:
    /didn't match Pod's node affinity|didn't match node selector|scheduler-enforced node affinity|didn't satisfy plugin/,
  explain(_match, pod, view) {
    const all = view.list(nodes) ?? [];
    const missing = Object.entries(pod.spec.nodeSelector ?? {}).filter(
      ([key, value]) => !all.some(({ metadata }) => metadata.labels?.[key] === value),
    );
    const [first] = missing;
    if (first && all.length > 0) {
      const [key, value] = first;
      return {
        sentence: `no node has the label ${key}=${value} that its nodeSelector requires`,
        evidence: [valuesOf(key, all)],
        fix: [`kubectl label node ${all[0]?.metadata.name} ${key}=${value}`],
      };
    }
    const wanted = affinityText(pod, all);
    return {
      sentence: `no node matches its node selector or affinity${wanted ? ` (${wanted})` : ""}`,
      evidence: [`nodeSelector and required node affinity: ${JSON.stringify(requirementsOf(pod))}`],
      fix: ["kubectl get nodes --show-labels"],
    };
  },
});

function valuesOf(key: string, all: readonly Node[]): string {
  const values = all.map(
    ({ metadata }) => `${metadata.name}: ${metadata.labels?.[key] ?? "(none)"}`,
  );
  return `values of ${key}: ${names(values)}`;
}

const affinityOf = ({ spec }: Pod) =>
  spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;

const requirementsOf = (pod: Pod) => ({
  nodeSelector: pod.spec.nodeSelector ?? {},
  affinity: affinityOf(pod)?.nodeSelectorTerms ?? [],
});

/** The first requirement of the affinity that no node meets. */
function affinityText(pod: Pod, all: readonly Node[]): string {
  for (const { matchExpressions = [] } of affinityOf(pod)?.nodeSelectorTerms ?? []) {
    for (const one of matchExpressions) {
      const matcher = compileNodeSelector({ nodeSelectorTerms: [{ matchExpressions: [one] }] });
      if (all.length === 0 || all.some((node) => matcher.matches(node))) continue;
      return `${one.key} ${one.operator} ${(one.values ?? []).join(", ")}`.trim();
    }
  }
  return "";
}
