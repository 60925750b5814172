import { type Node, nodes, type Pod, type Taint } from "#/api/core/v1.ts";
import { names } from "../../base/text.ts";
import { candidateNodes, hardTaint, taintText } from "../../facts/candidate-nodes.ts";
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
    const wanted = candidateNodes(pod.spec, view) ?? [];
    const all = wanted.length > 0 ? wanted : (view.list(nodes) ?? []);
    const [tainted = [], ...rest] = byTaint(all.flatMap((node) => taintOf(node, pod)));
    const [first] = tainted;
    if (!first) {
      return {
        sentence: `the nodes have taints that the Pod does not tolerate${told ? ` (${told})` : ""}`,
        fix: ["kubectl describe nodes"],
      };
    }
    const { node, taint } = first;
    const meaning = meanings.get(taint.key);
    const evidence = [...tainted, ...rest.flat()].map(
      (one) => `node/${one.node} has the taint ${taintText(one.taint)}`,
    );
    if (meaning !== undefined) {
      return {
        sentence: `no node can take the Pod: ${names(tainted.map((one) => one.node))}${tainted.length > 1 ? ", each of which" : ""} ${meaning}`,
        evidence,
        fix: fixOf(taint.key, node),
      };
    }
    return {
      sentence: `the Pod does not tolerate the taint ${taintText(taint)} of node ${names(tainted.map((one) => one.node))}`,
      evidence: tainted.map((one) => `node/${one.node} has the taint ${taintText(one.taint)}`),
      fix: [
        "# add a toleration to the Pod, or remove the taint:",
        `kubectl taint node ${node} ${taint.key}:${taint.effect}-`,
      ],
    };
  },
});

interface Tainted {
  readonly node: string;
  readonly taint: Taint;
}

/** The nodes by their taints: those of people first, as the system's come and go, then the most frequent. */
function byTaint(all: readonly Tainted[]): readonly (readonly Tainted[])[] {
  const groups = Object.values(Object.groupBy(all, ({ taint }) => taintText(taint)));
  const isOfSystem = ([first]: readonly Tainted[] = []): boolean =>
    meanings.has(first?.taint.key ?? "");
  return groups
    .flatMap((group) => (group ? [group] : []))
    .sort((a, b) => Number(isOfSystem(a)) - Number(isOfSystem(b)) || b.length - a.length);
}

function taintOf(node: Node, pod: Pod): Tainted[] {
  const taint = hardTaint(node, pod.spec);
  return taint ? [{ node: node.metadata.name ?? "", taint }] : [];
}

const fixOf = (key: string, node: string): string[] =>
  key === "node.kubernetes.io/unschedulable"
    ? [`kubectl uncordon ${node}`]
    : [`kubectl why node/${node}`];
