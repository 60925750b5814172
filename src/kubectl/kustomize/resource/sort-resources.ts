/** Upstream: sigs.k8s.io/kustomize/api/internal/builtins/SortOrderTransformer.go. */
import { KustomizeError } from "../failure/kustomize-error.ts";
import type { SortOptions } from "../kustomization/kustomization.ts";
import type { Resource } from "./resource.ts";
import {
  defaultOrder,
  gvkSortText,
  gvkText,
  kindRank,
  type ResourceId,
  sameGvk,
} from "./resource-id.ts";

/** Sorts by kind, or keeps the order if requested. */
export function sortResources(
  resources: readonly Resource[],
  options: SortOptions = { order: "legacy" },
): readonly Resource[] {
  const { order = "", legacySortOptions } = options;
  if (order !== "fifo" && order !== "legacy") {
    throw new KustomizeError("the field 'sortOptions.order' must be one of [fifo, legacy]");
  }
  if (order === "fifo") {
    if (!legacySortOptions) return resources;
    throw new KustomizeError(
      "the field 'sortOptions.legacySortOptions' is set but the selected sort order is 'fifo', not 'legacy'",
    );
  }
  const { orderFirst = [], orderLast = [] } = legacySortOptions ?? defaultOrder;
  return resources
    .map((resource) => ({ resource, id: resource.id }))
    .toSorted(({ id: left }, { id: right }) => compare(left, right, { orderFirst, orderLast }))
    .map(({ resource }) => resource);
}

function compare(
  left: ResourceId,
  right: ResourceId,
  order: Parameters<typeof kindRank>[1],
): number {
  if (sameGvk(left, right)) return compareTexts(idSortText(left), idSortText(right));
  const rank = kindRank(left.kind, order) - kindRank(right.kind, order);
  if (rank !== 0) return rank;
  const byKind = compareTexts(gvkSortText(left), gvkSortText(right));
  // Of kinds called Namespace, that of Kubernetes itself is first.
  const areNamespaces = left.kind === "Namespace" && right.kind === "Namespace";
  return areNamespaces && (left.group === "" || right.group === "") ? -byKind : byKind;
}

function compareTexts(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function idSortText(id: ResourceId): string {
  return [gvkText(id), id.namespace || "~X", id.name || "~N"].join("|");
}
