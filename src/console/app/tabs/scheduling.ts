import { h, type JSX } from "preact";
import { useJourney } from "../data/journeys.ts";
import { resourceKey } from "../model/api-resource.ts";
import { attemptsOf, type Matrix, matrixOf } from "../model/scheduling.ts";
import { conditionsOf } from "../model/summary.ts";
import { Note, Skeleton } from "../parts/notes.ts";
import { t } from "../texts/texts.ts";
import type { Tab, TabProps } from "./tab.ts";

export const schedulingTab: Tab = {
  name: "scheduling",
  title: () => t().scheduling,
  isFor: ({ id }) => resourceKey(id.resource) === "pods",
  View: Scheduling,
};

/** How the scheduler judged each node: plugin by plugin, in its last attempt. */
function Scheduling({ id, object }: TabProps): JSX.Element {
  const { journey, isAbsent } = useJourney(id);
  if (journey === undefined && !isAbsent) return h(Skeleton, null);
  const attempts = attemptsOf(journey?.steps ?? []);
  const last = attempts.at(-1);
  const condition = conditionsOf(object).find(({ type }) => type === "PodScheduled");
  if (!last) {
    return h(Note, {
      icon: "cluster",
      title: condition?.status === "True" ? t().scheduled : t().notScheduled,
      text: [condition?.message, t().noAttempts].filter(Boolean).join(" "),
    });
  }
  return h(
    "div",
    { class: "scheduling scroll" },
    h("p", null, t().attempts(attempts.length), " ", last.message ?? ""),
    h(MatrixView, { matrix: matrixOf(last) }),
  );
}

function MatrixView({ matrix }: { readonly matrix: Matrix }): JSX.Element {
  const { nodes, rows, others } = matrix;
  return h(
    "div",
    { class: "matrix-frame", tabIndex: 0, role: "region", "aria-label": t().scheduling },
    h(
      "table",
      { class: "matrix" },
      h(
        "thead",
        null,
        h(
          "tr",
          null,
          h("th", { scope: "col" }, t().plugin),
          nodes.map((node) => h("th", { key: node, scope: "col" }, node)),
          others ? h("th", { scope: "col" }, t().otherNodes) : null,
        ),
      ),
      h(
        "tbody",
        null,
        rows.map(({ plugin, reason, cells, otherCount }) =>
          h(
            "tr",
            { key: plugin },
            h("th", { scope: "row" }, plugin, reason ? h("small", null, reason) : null),
            cells.map((cell, index) =>
              h(
                "td",
                {
                  key: nodes[index],
                  class: cell === "refused" ? "refused" : cell === undefined ? "" : "score",
                },
                cell === "refused" ? "✕" : (cell ?? ""),
              ),
            ),
            others
              ? h(
                  "td",
                  { class: otherCount > 0 ? "refused" : "" },
                  otherCount > 0 ? `✕ ${otherCount}` : "",
                )
              : null,
          ),
        ),
      ),
    ),
  );
}
