import type { StructSchema } from "#/api/base/schema.ts";
import type { RecurringPart } from "./sharing/recurring-part.ts";
import type { Store } from "./store.ts";
import type { ApiObject, Declaration, ServedVersion } from "./strategy.ts";
import type { VersionCodec } from "./version-codec.ts";

/** One version of a served resource: what requests name in their path. */
export interface VersionedResource {
  readonly resource: ServedResource;
  readonly version: ServedVersion;
  readonly schema: StructSchema;
  readonly codec: VersionCodec;
  /** The common field as it comes in bodies, of resources that have one. */
  readonly recurring?: RecurringPart;
  /** "apps/v1". */
  readonly apiVersion: string;
  /** From a decoded object to the stored version. Takes the object over. */
  toStored(object: ApiObject): Promise<ApiObject> | ApiObject;
  /** From the stored version; returns a new object or, where nothing differs, the same one. */
  fromStored(object: ApiObject): Promise<ApiObject> | ApiObject;
  /** Nothing but the stored version itself: stored bytes can be sent as they are. */
  readonly isStored: boolean;
}

/** A resource that is up: its declaration, its store, and the versions it is served in. */
export interface ServedResource {
  readonly declaration: Declaration;
  readonly store: Store;
  /** By version name (with its group where that is another), in order of preference. */
  readonly versions: ReadonlyMap<string, VersionedResource>;
}
