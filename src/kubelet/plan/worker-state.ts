/** Upstream: pkg/kubelet/pod_workers.go. Pure. */
import type { Pod } from "#/api/core/v1.ts";
import type { Eviction } from "../state/pod-services.ts";

/** Where a pod is on this node. It never goes back. */
export type WorkerState =
  /** Containers are made and kept as the pod wants them. */
  | { readonly kind: "syncing" }
  /** Containers are being stopped, however the pod changes. An error is tried again. */
  | {
      readonly kind: "terminating";
      /** Only ever gets less. */
      readonly graceSeconds: number;
      readonly eviction?: Eviction | undefined;
    }
  /** No container runs: volumes, cgroup and the last status are being settled. */
  | { readonly kind: "terminated" }
  /** Nothing is left to do; the worker is kept while the pod is known, so that it isn't started again. */
  | { readonly kind: "finished" };

export type WorkerInput =
  /** The pod as it is now wanted. */
  | { readonly kind: "update"; readonly pod: Pod }
  /** It is to end: deleted, no longer wanted here, evicted, or all its containers are done. */
  | { readonly kind: "end"; readonly pod: Pod; readonly eviction?: Eviction | undefined }
  /** The work of the present state has been done. */
  | { readonly kind: "done" };

/** The state after an input; the very same object if nothing changes. */
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
