import { type Node, type Pod, pods } from "#/api/core/v1.ts";
import { findCondition } from "#/machinery/meta/conditions.ts";
import { type Cause, cause, type Found } from "../base/cause.ts";
import type { Layer } from "../base/layer.ts";
import { count, oneLine } from "../base/text.ts";
import type { View } from "../base/view.ts";
import { candidateNodes, openNodes } from "./candidate-nodes.ts";
import { hasEnded, isScheduled } from "./containers.ts";
import { nodeRooms } from "./node-room.ts";

/** A reason for which the scheduler has rejected nodes. */
interface Rejection {
  /** Number of nodes; undefined if the Pod itself was rejected, whatever the node. */
  readonly nodes: number | undefined;
  readonly text: string;
}

/** What the scheduler says about a Pod for which it finds no node. */
interface Unschedulable {
  readonly message: string;
  readonly total: number;
  /** The most frequent first. */
  readonly rejections: readonly Rejection[];
  readonly since: string | undefined;
}

/** What the scheduler says about a Pod; undefined if it has a node or was not looked at. */
export function unschedulable(pod: Pod): Unschedulable | undefined {
  if (isScheduled(pod) || hasEnded(pod)) return undefined;
  const condition = findCondition(pod.status?.conditions, "PodScheduled");
  if (condition?.status !== "False" || condition.reason === "SchedulingGated") return undefined;
  const { message = "", lastTransitionTime } = condition;
  return { message, since: lastTransitionTime, ...parseRejections(message) };
}

/** `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable. preemption: …`. */
function parseRejections(message: string): Pick<Unschedulable, "total" | "rejections"> {
  const head = /^\d+\/(\d+) nodes are available(?:: |$)/.exec(message);
  const total = Number(head?.[1] ?? 0);
  const [first = ""] = message
    .slice(head?.[0].length ?? 0)
    .split(/\.\s+(?=no new claims|preemption:|still not schedulable)/);
  const parts = first.replace(/\.\s*$/, "").split(/, (?=\d+ )/);
  const rejections = parts
    .filter((part) => part !== "")
    .map((part) => {
      const counted = /^(\d+) (.*)$/s.exec(part);
      const nodes = counted ? Number(counted[1]) : undefined;
      return { nodes, text: counted?.[2] ?? part };
    })
    .sort((a, b) => (b.nodes ?? total) - (a.nodes ?? total));
  return { total, rejections };
}

interface SchedulingCause {
  readonly name: string;
  readonly layer?: Layer;
  readonly isSummary?: boolean;
  readonly texts: RegExp;
  explain(match: RegExpExecArray, pod: Pod, view: View, rejection: Rejection): Omit<Found, "since">;
}

const isSelection =
  /didn't match Pod's node affinity|didn't match node selector|scheduler-enforced node affinity|didn't satisfy plugin/;
const isClosed = /taint|were unschedulable/;

/**
 * The reasons in the order in which they explain a Pod, whatever the number of nodes: those of the nodes that it asks
 * for and that take Pods, before those of nodes that are closed, before those of nodes that it does not ask for.
 */
function byRelevance(rejections: readonly Rejection[], pod: Pod, view: View): readonly Rejection[] {
  if (rejections.length < 2) return rejections;
  const candidates = candidateNodes(pod.spec, view);
  if (!candidates) return rejections;
  const open = openNodes(candidates, pod.spec);
  const isRelevant = ({ text }: Rejection): boolean => {
    if (isSelection.test(text)) return candidates.length === 0;
    if (isClosed.test(text)) return candidates.length > 0 && open.length === 0;
    return candidates.length > 0 && (text !== tooManyPods || isFull(candidates, view));
  };
  return rejections.toSorted((a, b) => Number(isRelevant(b)) - Number(isRelevant(a)));
}

export const tooManyPods = "Too many pods";

/** Whether a node that takes Pods has no room for another one: one that has not reported yet takes none. */
function isFull(candidates: readonly Node[], view: View): boolean {
  const full = (nodeRooms("pods", view) ?? []).filter(
    ({ free, allocatable }) => free.sign <= 0 && allocatable.sign > 0,
  );
  return candidates.some(({ metadata }) => full.some(({ node }) => node === metadata.name));
}

/** A cause that is recognised by the reason for which most nodes were rejected. */
export const schedulingCause = ({
  name,
  layer = "scheduling",
  isSummary = false,
  texts,
  explain,
}: SchedulingCause): Cause =>
  cause<Pod>({
    name,
    layer,
    group: "scheduling",
    isSummary,
    of: [pods],
    find(pod, view) {
      const state = unschedulable(pod);
      const [main, ...others] = byRelevance(state?.rejections ?? [], pod, view);
      const match = main && texts.exec(main.text);
      if (!state || !main || !match) return undefined;
      const found = explain(match, pod, view, main);
      return {
        ...found,
        since: state.since,
        sentence: `${found.sentence}${othersText(others)}`,
        evidence: [`the scheduler says: ${oneLine(state.message)}`, ...(found.evidence ?? [])],
      };
    },
  });

/** The other nodes, so that the sentence explains all of them. */
const othersText = (others: readonly Rejection[]): string =>
  others.length === 0
    ? ""
    : ` (and ${others.map(({ nodes, text }) => `${count(nodes ?? 0, "node")}: ${text}`).join(", ")})`;
