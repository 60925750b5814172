import type { ObjectReference } from "#/api/core/v1.ts";
import type { Clock } from "#/std/time/clock.ts";
import { metaOf } from "../object-key.ts";

/** The source of events. */
export interface EventSourceOptions {
  /** "deployment-controller", "kubelet". */
  readonly component: string;
  /** The node or host name; for series the default is component and host name. */
  readonly instance?: string | undefined;
  readonly clock?: Clock;
  /** Events that are still queued when it aborts are dropped. */
  readonly signal?: AbortSignal;
}

/**
 * The reference of an event: made from an object with kind and apiVersion, or the given reference.
 */
export function eventReference(object: object): ObjectReference {
  if (!("metadata" in object)) return object as ObjectReference;
  const { kind, apiVersion } = object as { kind?: string; apiVersion?: string };
  const { name, namespace, uid, resourceVersion } = metaOf(object);
  return {
    ...(kind ? { kind } : {}),
    ...(namespace ? { namespace } : {}),
    ...(name ? { name } : {}),
    ...(uid ? { uid } : {}),
    ...(apiVersion ? { apiVersion } : {}),
    ...(resourceVersion ? { resourceVersion } : {}),
  };
}

/** Makes unique event names: the object's name and the time in nanoseconds. */
export class EventNames {
  #last = 0n;

  next(objectName: string, nowMs: number): string {
    const now = BigInt(Math.trunc(nowMs)) * 1_000_000n;
    this.#last = now > this.#last ? now : this.#last + 1n;
    return `${objectName}.${this.#last.toString(16)}`;
  }
}
