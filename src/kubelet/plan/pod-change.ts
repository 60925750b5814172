/** Upstream: pkg/kubelet/config/config.go (podsDifferSemantically), pkg/kubelet/status/generate.go. Pure. */
import type { Pod } from "#/api/core/v1.ts";
import { findCondition } from "#/machinery/meta/conditions.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { mirrorAnnotation, seenAnnotation, sourceAnnotation } from "../state/static-pods.ts";

/**
 * Whether a changed Pod has to be synced. A change of the status alone is usually the kubelet's own write; only
 * conditions that the Pod's readiness depends on are written by others.
 */
export function needsSync(before: Pod | undefined, now: Pod): boolean {
  if (!before) return true;
  return !deepEqual(relevantPart(before), relevantPart(now));
}

function relevantPart({ metadata, spec, status }: Pod): unknown {
  const { uid, labels, deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  const gates = (spec.readinessGates ?? []).map(
    ({ conditionType }) => findCondition(status?.conditions, conditionType)?.status ?? "",
  );
  const annotations = Object.entries(metadata.annotations ?? {})
    .filter(([name]) => !ownAnnotations.has(name))
    .sort();
  return {
    ...{ uid, deletionTimestamp, deletionGracePeriodSeconds, spec, gates, annotations },
    labels: Object.entries(labels ?? {}).sort(),
  };
}

/** Annotations that the kubelet sets itself. */
const ownAnnotations = new Set([sourceAnnotation, mirrorAnnotation, seenAnnotation]);
