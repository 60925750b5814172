/** Upstream: pkg/controller/history/controller_history.go, pkg/controller/daemon/update.go. */
import type { PodTemplateSpec } from "#/api/core/v1.ts";
import type { LabelSelector, ObjectMeta } from "#/api/meta/v1.ts";

/** An object with revisions of its template: a DaemonSet or a StatefulSet. */
export interface Revised {
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly selector: LabelSelector;
    readonly template: PodTemplateSpec;
    readonly revisionHistoryLimit?: number;
  };
  readonly status?: { readonly collisionCount?: number };
}

/**
 * A strategic merge patch that restores an owner's template. Other programs compare its bytes, so
 * its fields are sorted.
 */
export function revisionData({ spec }: Revised): unknown {
  return inOrder({ spec: { template: { ...spec.template, $patch: "replace" } } });
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, part]) => [name, inOrder(part)]));
}
