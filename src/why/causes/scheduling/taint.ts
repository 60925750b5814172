import { type Node, nodes, type Pod, type Taint } from "#/api/core/v1.ts";
import { findUntoleratedTaint } from "#/machinery/pods/tolerations.ts";
import { names } from "../../base/text.ts";
import { schedulingCause } from "../../facts/unschedulable.ts";

/** What the taints of the system mean. */
const meanings: ReadonlyMap<string, string> = new Map([
  ["node.kubernetes.io/not-ready", "is not ready"],
  ["node.kubernetes.io/unreachable", "does not report any more (unreachable)"],
  ["node.kubernetes.io/disk-pressure", "has too little free disk space (disk pressure)"],
  ["node.kubernetes.io/memory-pressure", "has too little free memory (memory pressure)"],
  ["node.kubernetes.io/pid-pressure", "has too few process numbers left (PID pressure)"],
  ["node.kubernetes.io/network-unavailable", "has no Pod network yet"],
  ["node.kubernetes.io/unschedulable", "is cordoned (unschedulable)"],
  ["node.kubernetes.io/out-of-service", "is out of service"],
  ["node.cloudprovider.kubernetes.io/uninitialized", "waits for the cloud controller manager"],
]);

export const untoleratedTaint = schedulingCause({
  name: "untolerated-taint",
  texts: /had (?:untolerated )?taint(?:\(s\)|s)?(?: \{([^}]*)\})?/,
  explain([, told], pod, view) {
    const tainted = (view.list(nodes) ?? []).flatMap((node) => taintOf(node, pod));
    const [first] = tainted;
    if (!first) {
      return {
        sentence: `the nodes have taints that the Pod does not tolerate${told ? ` (${told})` : ""}`,
        fix: ["kubectl describe nodes"],
      };
    }
    const { node, taint } = first;
    const meaning = meanings.get(taint.key);
    if (meaning !== undefined) {
      return {
        sentence: `no node can take the Pod: ${names(tainted.map((one) => one.node))} ${meaning}`,
        evidence: tainted.map((one) => `node/${one.node} has the taint ${text(one.taint)}`),
        fix: fixOf(taint.key, node),
      };
    }
    return {
      sentence: `the Pod does not tolerate the taint ${text(taint)} of node ${names(tainted.map((one) => one.node))}`,
      evidence: tainted.map((one) => `node/${one.node} has the taint ${text(one.taint)}`),
      fix: [
        "# add a toleration to the Pod, or remove the taint:",
        `kubectl taint node ${node} ${taint.key}:${taint.effect}-`,
      ],
    };
  },
});

function taintOf({ metadata, spec }: Node, pod: Pod): { node: string; taint: Taint }[] {
  const hard = (spec?.taints ?? []).filter(({ effect }) => effect !== "PreferNoSchedule");
  const taint = findUntoleratedTaint(hard, pod.spec.tolerations);
  return taint ? [{ node: metadata.name ?? "", taint }] : [];
}

const text = ({ key, value, effect }: Taint): string =>
  `${key}${value ? `=${value}` : ""}:${effect}`;

const fixOf = (key: string, node: string): string[] =>
  key === "node.kubernetes.io/unschedulable"
    ? [`kubectl uncordon ${node}`]
    : [`kubectl why node/${node}`];
