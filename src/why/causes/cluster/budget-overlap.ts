import { pods } from "#/api/core/v1.ts";
import { type PodDisruptionBudget, podDisruptionBudgets } from "#/api/policy/v1.ts";
import { compileLabelSelector } from "#/machinery/meta/label-selector.ts";
import { cause } from "../../base/cause.ts";
import { names } from "../../base/text.ts";

/** The eviction API refuses Pods of two budgets, whatever these allow. */
export const budgetOverlap = cause<PodDisruptionBudget>({
  name: "budgets-overlap",
  layer: "controllers",
  of: [podDisruptionBudgets],
  find({ spec, metadata }, view) {
    const { namespace, name = "" } = metadata;
    const own = (view.list(pods, { namespace }) ?? []).filter(({ metadata: { labels } }) =>
      compileLabelSelector(spec?.selector).matches(labels),
    );
    const others = (view.list(podDisruptionBudgets, { namespace }) ?? []).filter(
      (other) =>
        other.metadata.name !== name &&
        own.some(({ metadata: { labels } }) =>
          compileLabelSelector(other.spec?.selector).matches(labels),
        ),
    );
    if (others.length === 0) return undefined;
    const list = names(others.map((other) => `"${other.metadata.name}"`));
    return {
      sentence: `it and ${list} select the same Pods, and a Pod of two budgets cannot be evicted at all, which blocks kubectl drain`,
      fix: [`kubectl describe pdb ${name}`, "# keep one budget for these Pods"],
    };
  },
});
