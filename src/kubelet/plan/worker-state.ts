/** Upstream: pkg/kubelet/pod_workers.go. Pure. */
import type { Pod } from "#/api/core/v1.ts";
import type { Eviction } from "../state/pod-services.ts";

/** The state of a pod's worker. It never returns to an earlier one. */
export type WorkerState =
  /** Containers are created and kept as the pod's spec says. */
  | { readonly kind: "syncing" }
  /** Containers are being stopped, whatever changes in the pod. A failure is retried. */
  | {
      readonly kind: "terminating";
      /** Only ever decreases. */
      readonly graceSeconds: number;
      readonly eviction?: Eviction | undefined;
    }
  /** No container runs: volumes and cgroup are removed and the last status is written. */
  | { readonly kind: "terminated" }
  /** Nothing is left to do; the worker is kept while the pod is known, so that it isn't started again. */
  | { readonly kind: "finished" };

export type WorkerInput =
  /** The pod's current spec. */
  | { readonly kind: "update"; readonly pod: Pod }
  /** The pod has to end: it was deleted, removed from this node or evicted, or all its containers are done. */
  | { readonly kind: "end"; readonly pod: Pod; readonly eviction?: Eviction | undefined }
  /** The work of the current state is done. */
  | { readonly kind: "done" };

/** The state after an input; the same object if nothing changes. */
export function step(state: WorkerState, input: WorkerInput): WorkerState {
  if (input.kind === "done") {
    if (state.kind === "terminating") return { kind: "terminated" };
    return state.kind === "terminated" ? { kind: "finished" } : state;
  }
  if (state.kind === "terminated" || state.kind === "finished") return state;
  const ends = input.kind === "end" || isOver(input.pod);
  if (state.kind === "syncing" && !ends) return state;
  const eviction = input.kind === "end" ? input.eviction : undefined;
  const before = state.kind === "terminating" ? state : undefined;
  const graceSeconds = effectiveGrace(input.pod, before?.graceSeconds, eviction);
  if (before && graceSeconds === before.graceSeconds && !eviction) return state;
  return { kind: "terminating", graceSeconds, eviction: before?.eviction ?? eviction };
}

function isOver({ metadata, status }: Pod): boolean {
  return (
    metadata.deletionTimestamp !== undefined ||
    status?.phase === "Failed" ||
    status?.phase === "Succeeded"
  );
}

function effectiveGrace(
  { metadata, spec }: Pod,
  before: number | undefined,
  eviction: Eviction | undefined,
): number {
  const asked = [before, metadata.deletionGracePeriodSeconds, eviction?.gracePeriodSeconds].filter(
    (seconds) => seconds !== undefined,
  );
  const seconds = asked.length > 0 ? Math.min(...asked) : (spec.terminationGracePeriodSeconds ?? 0);
  return Math.max(1, seconds);
}
