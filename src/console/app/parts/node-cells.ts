import { h, type JSX } from "preact";
import { useLiveList } from "../data/live-object.ts";
import { type ApiObject, fieldAt, textAt } from "../model/object.ts";
import { objectRoute } from "../model/route.ts";
import { conditionsOf, conditionTone } from "../model/summary.ts";
import { t } from "../texts/texts.ts";

interface NodeCellOptions {
  /** Pods by node. */
  readonly counts: ReadonlyMap<string, number>;
}

/** A cell for each node: its colour says how full it is, its mark whether it is well. */
export function NodeCells({ counts }: NodeCellOptions): JSX.Element | null {
  const live = useLiveList("/api/v1/nodes");
  const nodes = live?.items.value ?? [];
  if (live?.state.value === "refused") return null;
  return h(
    "section",
    { class: "panel", "aria-label": t().nodes },
    h("h2", null, t().nodes, h("span", { class: "badge" }, nodes.length)),
    nodes.length === 0 && live?.state.value === "live"
      ? h("p", { class: "dim" }, t().noNodes)
      : null,
    h(
      "div",
      { class: nodes.length > 24 ? "cells small" : "cells" },
      nodes.map((node) =>
        h(NodeCell, { key: node.metadata.uid, node, pods: counts.get(node.metadata.name) ?? 0 }),
      ),
    ),
  );
}

function NodeCell({
  node,
  pods,
}: {
  readonly node: ApiObject;
  readonly pods: number;
}): JSX.Element {
  const { name } = node.metadata;
  const capacity = Number(textAt(node, "status", "allocatable", "pods")) || 110;
  // Of a node that does not report, all others are unknown, too.
  const problems = conditionsOf(node).filter(
    (condition) => condition.status !== "Unknown" && conditionTone(condition) !== "good",
  );
  const isReady = conditionsOf(node).some(
    ({ type, status }) => type === "Ready" && status === "True",
  );
  const isCordoned = fieldAt(node, "spec", "unschedulable") === true;
  const share = Math.min(1, pods / capacity);
  const state = [
    isReady ? "Ready" : "NotReady",
    ...(isCordoned ? ["SchedulingDisabled"] : []),
    ...problems.map(({ type }) => type).filter((type) => type !== "Ready"),
  ];
  return h(
    "a",
    {
      class: `cell-node ${isReady ? (problems.length > 0 || isCordoned ? "busy" : "good") : "bad"}`,
      href: objectRoute("nodes", { name }),
      title: `${name}: ${state.join(", ")}; ${t().podsOf(pods, capacity)}`,
      style: { "--share": share.toFixed(2) },
    },
    h("strong", null, name),
    h("span", null, state.join(", ")),
    h("span", null, t().podsOf(pods, capacity)),
    h("span", { class: "bar", "aria-hidden": "true" }),
  );
}
