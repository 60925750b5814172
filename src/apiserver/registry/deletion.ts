import { conflict } from "#/machinery/meta/status-error.ts";
import { formatTime, parseTime } from "#/machinery/time/time.ts";
import type { ApiObject, Declaration } from "./strategy.ts";

/**
 * The effect of a delete request on an object: a pure plan.
 * Upstream: staging/src/k8s.io/apiserver/pkg/registry/rest/delete.go, pkg/registry/generic/registry/store.go.
 */

/** metav1.DeleteOptions, as far as the plan needs it. */
export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: string;
  readonly orphanDependents?: boolean;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun?: readonly string[];
  /** Remove the object even if it can't be read. */
  readonly ignoreStoreReadErrorWithClusterBreakingPotential?: boolean;
}

/**
 * Remove the object now; store it as changed and wait for finalizers; or leave it, as its deletion has begun already.
 */
export type DeletionPlan = "remove" | "update" | "pending";

const orphanFinalizer = "orphan";
const foregroundFinalizer = "foregroundDeletion";

/**
 * Decides what to do and, for "update", changes the object (a copy that belongs to the caller) accordingly.
 */
export function planDeletion(
  declaration: Declaration,
  object: ApiObject,
  options: DeleteOptions,
  now: number,
): DeletionPlan {
  checkPreconditions(declaration, object, options);
  if (declaration.mayRemove) {
    if (object.metadata.deletionTimestamp === undefined) {
      return markFirst(declaration, object, options, now);
    }
    if (!declaration.mayRemove(object)) return "pending";
  }
  const graceful = planGrace(declaration, object, options, now);
  if (graceful === "pending") return "pending";
  const finalizers = finalizersAfter(declaration, object, options);
  if (finalizers.length > 0) object.metadata.finalizers = finalizers;
  else delete object.metadata.finalizers;
  const patient = graceful === "begun" && object.metadata.deletionGracePeriodSeconds !== 0;
  if (finalizers.length === 0) return patient ? "update" : "remove";
  if (graceful === "begun") return "update";
  markAsDeleting(object, now);
  return "update";
}

/** A kind that is removed only after its content is marked by the first request, whatever its finalizers. */
function markFirst(
  declaration: Declaration,
  object: ApiObject,
  options: DeleteOptions,
  now: number,
): DeletionPlan {
  const finalizers = finalizersAfter(declaration, object, options);
  if (finalizers.length > 0) object.metadata.finalizers = finalizers;
  else delete object.metadata.finalizers;
  object.metadata.deletionTimestamp = formatTime(now);
  return "update";
}

function checkPreconditions(
  declaration: Declaration,
  object: ApiObject,
  { preconditions }: DeleteOptions,
): void {
  const { uid, resourceVersion, name = "" } = object.metadata;
  const kind = { group: declaration.handle.group, name: declaration.handle.kind };
  if (preconditions?.uid !== undefined && preconditions.uid !== uid) {
    const detail = `the UID in the precondition (${preconditions.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`;
    throw conflict(kind, name, detail);
  }
  if (
    preconditions?.resourceVersion !== undefined &&
    preconditions.resourceVersion !== resourceVersion
  ) {
    const detail = `the ResourceVersion in the precondition (${preconditions.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`;
    throw conflict(kind, name, detail);
  }
}

/** "begun" if the object gets a (shorter) grace period, "pending" if it already had one, else "none". */
function planGrace(
  { gracePeriodSeconds }: Declaration,
  object: ApiObject,
  options: DeleteOptions,
  now: number,
): "begun" | "pending" | "none" {
  if (!gracePeriodSeconds) return "none";
  const { metadata } = object;
  // A negative period means one second.
  const requested = atLeastOne(options.gracePeriodSeconds);
  if (metadata.deletionTimestamp !== undefined) {
    const current = atLeastOne(metadata.deletionGracePeriodSeconds);
    if (!current) return "none";
    if (requested === undefined || requested >= current) return "pending";
    const begunMs = parseTime(metadata.deletionTimestamp) - current * 1000;
    const endMs = begunMs + requested * 1000;
    metadata.deletionTimestamp = formatTime(Math.max(endMs, now));
    metadata.deletionGracePeriodSeconds = endMs < now && requested !== 0 ? 1 : requested;
    return "begun";
  }
  const period = gracePeriodSeconds(object, requested);
  if (period === undefined) return "none";
  metadata.deletionTimestamp = formatTime(now + period * 1000);
  metadata.deletionGracePeriodSeconds = period;
  if (metadata.generation) metadata.generation++;
  return "begun";
}

const atLeastOne = (seconds: number | undefined): number | undefined =>
  seconds !== undefined && seconds < 0 ? 1 : seconds;

/** The object's finalizers, with those of the garbage collector added or removed as the options require. */
function finalizersAfter(
  declaration: Declaration,
  object: ApiObject,
  options: DeleteOptions,
): string[] {
  const existing = [...(object.metadata.finalizers ?? [])];
  for (const finalizer of declaration.deletionFinalizers ?? []) {
    const begins = object.metadata.deletionTimestamp === undefined;
    if (begins && !existing.includes(finalizer)) existing.push(finalizer);
  }
  if (declaration.garbageCollection === "unsupported") return existing;
  const others = existing.filter(
    (name) => name !== orphanFinalizer && name !== foregroundFinalizer,
  );
  const policy = propagation(declaration, existing, options);
  if (policy === "Orphan") return [...others, orphanFinalizer];
  if (policy === "Foreground") return [...others, foregroundFinalizer];
  return others;
}

function propagation(
  declaration: Declaration,
  finalizers: readonly string[],
  options: DeleteOptions,
): string {
  if (options.orphanDependents !== undefined)
    return options.orphanDependents ? "Orphan" : "Background";
  if (options.propagationPolicy !== undefined) return options.propagationPolicy;
  for (const name of finalizers) {
    if (name === orphanFinalizer) return "Orphan";
    if (name === foregroundFinalizer) return "Foreground";
  }
  return declaration.garbageCollection === "orphan" ? "Orphan" : "Background";
}

/** Marks the object as being deleted. It stays until its finalizers are removed. */
function markAsDeleting({ metadata }: ApiObject, now: number): void {
  if (metadata.deletionTimestamp === undefined && metadata.generation) metadata.generation++;
  if (metadata.deletionTimestamp === undefined || parseTime(metadata.deletionTimestamp) > now) {
    metadata.deletionTimestamp = formatTime(now);
  }
  metadata.deletionGracePeriodSeconds = 0;
}
