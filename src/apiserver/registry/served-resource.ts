import type { StructSchema } from "#/api/base/schema.ts";
import { deepCopy } from "#/machinery/objects/deep-copy.ts";
import type { MaybePromise } from "#/std/base/maybe-promise.ts";
import type { RecurringPart } from "./sharing/recurring-part.ts";
import type { Store } from "./store.ts";
import type { ApiObject, Declaration, ServedVersion, WebhookConversion } from "./strategy.ts";
import type { VersionCodec } from "./version-codec.ts";

declare const isPrepared: unique symbol;

/**
 * A stored object, parsed, that can be converted to the version of a request without a call of a webhook. Only
 * verbs/writers/prepared-object.ts makes it.
 */
export type PreparedForm = ApiObject & { readonly [isPrepared]: true };

/** One version of a served resource, as request paths name it. */
export interface VersionedResource {
  readonly resource: ServedResource;
  readonly version: ServedVersion;
  readonly schema: StructSchema;
  readonly codec: VersionCodec;
  /** The common field as it arrives in bodies; undefined for resources without one. */
  readonly recurring?: RecurringPart;
  /** "apps/v1". */
  readonly apiVersion: string;
  /** From a decoded object to the stored version. Takes ownership of the object. */
  toStored(object: ApiObject): MaybePromise<ApiObject>;
  /** From the stored version; returns a new object or, if nothing differs, the same one. */
  convert(object: ApiObject): MaybePromise<ApiObject>;
  /** As convert(), for prepared objects: synchronous, for writers. */
  fromStored(object: PreparedForm): ApiObject;
  /** Conversion both ways without I/O; absent if a webhook converts. */
  readonly local?: LocalConversion;
  /** True for the stored version itself: stored bytes can be sent without conversion. */
  readonly isStored: boolean;
}

/** Conversion between a version and the stored one, as VersionedResource describes it. */
interface LocalConversion {
  toStored(object: ApiObject): ApiObject;
  fromStored(object: ApiObject): ApiObject;
}

/** An open resource: its declaration, its store, and the versions it is served in. */
export interface ServedResource {
  readonly declaration: Declaration;
  readonly store: Store;
  /** By version name (with its group if that differs), in order of preference. */
  readonly versions: ReadonlyMap<string, VersionedResource>;
}

type Conversion = Pick<VersionedResource, "toStored" | "convert" | "fromStored" | "local">;

/** Objects are the same in both versions. */
export const noConversion: Conversion = localConversion({
  toStored: (object) => object,
  fromStored: (object) => object,
});

/** Conversion of objects between the stored version and a served one. */
export function conversionOf(
  version: ServedVersion,
  apiVersion: string,
  storedApiVersion: string,
): Conversion {
  return version.webhook
    ? webhookConversion(version.webhook, apiVersion, storedApiVersion)
    : localConversion(retyping(version, apiVersion, storedApiVersion));
}

function retyping(
  { toStored, fromStored }: ServedVersion,
  apiVersion: string,
  storedApiVersion: string,
): LocalConversion {
  return {
    toStored: (object) => retyped(toStored ? toStored(object) : object, storedApiVersion),
    fromStored: (object) =>
      retyped(fromStored ? fromStored(deepCopy(object)) : { ...object }, apiVersion),
  };
}

function localConversion(local: LocalConversion): Conversion {
  return {
    local,
    toStored: local.toStored,
    convert: local.fromStored,
    fromStored: local.fromStored,
  };
}

function webhookConversion(
  webhook: WebhookConversion,
  apiVersion: string,
  storedApiVersion: string,
): Conversion {
  return {
    toStored: async (object) => retyped(await webhook.toStored(object), storedApiVersion),
    convert: async (object) =>
      webhook.prepared(object) ?? retyped(await webhook.fromStored(deepCopy(object)), apiVersion),
    fromStored(object) {
      const prepared = webhook.prepared(object);
      if (!prepared) throw new Error(`no webhook has converted this object to ${apiVersion}`);
      return prepared;
    },
  };
}

function retyped(object: ApiObject, apiVersion: string): ApiObject {
  object.apiVersion = apiVersion;
  return object;
}
