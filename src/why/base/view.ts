import type { Resource } from "#/api/base/resource.ts";
import type { ObjectRef } from "#/client/resource-path.ts";
import type { AnyObject } from "./any-object.ts";

/** The result of a lookup. `pending` is read before the causes are asked again. */
export type Lookup<T> =
  | { readonly state: "found"; readonly value: T }
  | { readonly state: "absent" | "forbidden" | "failed"; readonly message: string }
  | { readonly state: "pending" };

export interface Selection {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

/** An event about an object. */
export interface EventFact {
  readonly isWarning: boolean;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly from: string;
}

/**
 * The cluster as the causes see it: a snapshot of what the user may read. A call for something that was not read yet
 * returns nothing, and has it read before the causes are asked again.
 */
export interface View {
  readonly nowMs: number;
  lookup<T>(resource: Resource<T>, ref: ObjectRef): Lookup<T>;
  /** The object; undefined if it is absent or cannot be read. */
  get<T>(resource: Resource<T>, ref: ObjectRef): T | undefined;
  /** Whether it is certain that there is no such object. */
  isAbsent(resource: Resource, ref: ObjectRef): boolean;
  /** The objects; undefined if they cannot be read. */
  list<T>(resource: Resource<T>, selection?: Selection): readonly T[] | undefined;
  /** Whether a list that was read is complete: long ones are cut off. */
  isWhole(resource: Resource, selection?: Selection): boolean;
  /** The events about an object, the latest first. */
  events(resource: Resource, object: AnyObject): readonly EventFact[];
  /** The last lines of a container's log; empty if it is not to be read. */
  log(pod: AnyObject, container: string, previous: boolean): readonly string[];
  /** Whether nothing listens on a port of a Pod; undefined if that cannot be found out. */
  refuses(pod: AnyObject, port: number): boolean | undefined;
  /** The same for a connection to the Pod's address, as others make it. */
  refusesOthers(pod: AnyObject, port: number): boolean | undefined;
  /** Whether the server has a group and version, from its discovery; undefined if unknown. */
  serves(groupVersion: string): boolean | undefined;
}
