import { randomUUID } from "node:crypto";
import type { ObjectReference } from "#/api/core/v1.ts";
import { isDNS1123Subdomain } from "#/machinery/meta/names.ts";
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

/** The last used number, by clock: shared by all recorders of a process. */
const lastNumbers = new WeakMap<Clock, bigint>();

/**
 * A unique name for a new event: the object's name and the time in nanoseconds. If that is an
 * invalid name, a UUID. Upstream: staging/src/k8s.io/client-go/tools/record/util/util.go.
 */
export function newEventName(objectName: string, clock: Clock): string {
  const fraction = Math.trunc((clock.monotonicMs() % 1) * 1e6); // Differs between processes.
  const now = BigInt(clock.now()) * 1_000_000n + BigInt(fraction);
  const last = lastNumbers.get(clock) ?? 0n;
  const number = now > last ? now : last + 1n;
  lastNumbers.set(clock, number);
  const name = `${objectName}.${number.toString(16)}`;
  return isDNS1123Subdomain(name).length === 0 ? name : randomUUID();
}
