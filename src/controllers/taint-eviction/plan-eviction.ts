/** Upstream: pkg/controller/tainteviction/taint_eviction.go. */
import type { Taint, Toleration } from "#/api/core/v1.ts";
import { toleratesTaint } from "#/machinery/pods/tolerations.ts";

/**
 * How long a Pod may stay on a node with these NoExecute taints, from when it was first seen with
 * them, in milliseconds; undefined for ever.
 */
export function allowedStayMs(
  taints: readonly Taint[],
  tolerations: readonly Toleration[],
): number | undefined {
  const used = taints.map((taint) => tolerations.filter((one) => toleratesTaint(one, taint)));
  if (used.some((list) => list.length === 0)) return 0;
  const seconds = used.flat().flatMap(({ tolerationSeconds }) => tolerationSeconds ?? []);
  if (taints.length === 0 || seconds.length === 0) return undefined;
  return Math.max(0, Math.min(...seconds)) * 1000;
}
