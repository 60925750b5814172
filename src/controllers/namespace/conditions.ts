/** Upstream: pkg/controller/namespace/deletion/status_condition_utils.go. */

import type { Resource } from "#/api/base/resource.ts";
import type { NamespaceCondition } from "#/api/core/v1.ts";
import { formatTime } from "#/machinery/time/time.ts";

/** Remaining objects of one resource. */
export interface Remains {
  readonly resource: Pick<Resource, "group" | "name">;
  readonly count: number;
  /** Number of objects that each finalizer blocks. */
  readonly finalizers: ReadonlyMap<string, number>;
  /** Expected time (s) until they are removed; 0 if nothing is known about it. */
  readonly estimateSeconds: number;
}

/** The result of an attempt to empty a namespace. */
export interface Outcome {
  readonly discoveryFailure?: string | undefined;
  readonly failures: readonly string[];
  readonly remains: readonly Remains[];
}

const good: readonly (readonly [type: string, reason: string, message: string])[] = [
  [
    "NamespaceDeletionDiscoveryFailure",
    "ResourcesDiscovered",
    "All resources successfully discovered",
  ],
  [
    "NamespaceDeletionGroupVersionParsingFailure",
    "ParsedGroupVersions",
    "All legacy kube types successfully parsed",
  ],
  [
    "NamespaceDeletionContentFailure",
    "ContentDeleted",
    "All content successfully deleted, may be waiting on finalization",
  ],
  ["NamespaceContentRemaining", "ContentRemoved", "All content successfully removed"],
  [
    "NamespaceFinalizersRemaining",
    "ContentHasNoFinalizers",
    "All content-preserving finalizers finished",
  ],
];

/** The conditions after an attempt, each with the time of its last change of status. */
export function computeConditions(
  now: readonly NamespaceCondition[],
  outcome: Outcome,
  nowMs: number,
): NamespaceCondition[] {
  const bad = badConditions(outcome);
  const types = new Set(good.map(([type]) => type));
  const others = now.filter(({ type }) => !types.has(type));
  const ours = good.map(([type, reason, message]): NamespaceCondition => {
    const problem = bad.get(type);
    const status = problem ? "True" : "False";
    const old = now.find((condition) => condition.type === type);
    const since = old?.status === status ? old.lastTransitionTime : undefined;
    return {
      type,
      status,
      lastTransitionTime: since ?? formatTime(nowMs),
      ...(problem ?? { reason, message }),
    };
  });
  return [...others, ...ours];
}

function badConditions({ discoveryFailure, failures, remains }: Outcome) {
  const bad = new Map<string, { reason: string; message: string }>();
  if (discoveryFailure !== undefined) {
    const problem = { reason: "DiscoveryFailed", message: discoveryFailure };
    bad.set("NamespaceDeletionDiscoveryFailure", problem);
  }
  if (failures.length > 0) {
    const all = [...failures].sort().join(", ");
    bad.set("NamespaceDeletionContentFailure", {
      reason: "ContentDeletionFailed",
      message: `Failed to delete all resource types, ${failures.length} remaining: ${all}`,
    });
  }
  const left = remains.filter(({ count }) => count > 0);
  if (left.length > 0) {
    const all = left.map(
      ({ resource, count }) => `${resource.name}.${resource.group} has ${count} resource instances`,
    );
    bad.set("NamespaceContentRemaining", {
      reason: "SomeResourcesRemain",
      message: `Some resources are remaining: ${all.sort().join(", ")}`,
    });
  }
  const holding = new Map<string, number>();
  for (const [finalizer, count] of left.flatMap(({ finalizers }) => [...finalizers])) {
    holding.set(finalizer, (holding.get(finalizer) ?? 0) + count);
  }
  if (holding.size > 0) {
    const all = Array.from(
      holding,
      ([finalizer, count]) => `${finalizer} in ${count} resource instances`,
    );
    bad.set("NamespaceFinalizersRemaining", {
      reason: "SomeFinalizersRemain",
      message: `Some content in the namespace has finalizers remaining: ${all.sort().join(", ")}`,
    });
  }
  return bad;
}
