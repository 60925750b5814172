import type { Resource } from "#/api/base/resource.ts";
import type { StructSchema } from "#/api/base/schema.ts";
import { apiVersionOf } from "#/machinery/meta/api-version.ts";
import { schemaOf } from "#/machinery/schema/kinds.ts";
import type { Random } from "#/std/base/random.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Storage } from "#/storage/base/storage.ts";
import type { Feed } from "./feed.ts";
import {
  conversionOf,
  noConversion,
  type ServedResource,
  type VersionedResource,
} from "./served-resource.ts";
import { RecurringPart } from "./sharing/recurring-part.ts";
import { Store } from "./store.ts";
import { storedJson } from "./stored-json.ts";
import type { ObjectForms } from "./stored-object.ts";
import type { Declaration, ServedVersion } from "./strategy.ts";
import { VersionCodec } from "./version-codec.ts";

interface ResourceServices {
  readonly storage: Storage;
  readonly feed: Feed;
  readonly clock: Clock;
  readonly forms: ObjectForms;
  /** Off: there is no garbage collector, so no object waits for it (--enable-garbage-collector). */
  readonly collectsGarbage?: boolean;
  /** Source of generated names and uids. */
  readonly random?: Random | undefined;
}

/** Source of a version's schema: generated for built-in kinds, a CRD for custom ones. */
export type SchemaSource = (handle: Resource) => StructSchema;

/** Opens a declared resource: fills its store and prepares its versions. */
export async function openResource(
  declared: Declaration,
  services: ResourceServices,
  schemaSource: SchemaSource = schemaOf,
): Promise<ServedResource> {
  const declaration: Declaration =
    services.collectsGarbage === false
      ? { ...declared, garbageCollection: "unsupported" }
      : declared;
  const codec = storedJson(declaration, schemaSource, services.forms);
  const store = new Store({ declaration, codec, ...services });
  const versions = new Map<string, VersionedResource>();
  const resource: ServedResource = { declaration, store, versions };
  for (const version of declaration.versions) {
    versions.set(
      versionName(declaration, version),
      versioned(resource, version, schemaSource(version.handle)),
    );
  }
  if (!declaration.verbs) await store.open();
  return resource;
}

/** The key of a version: its name, with its group if that is not the resource's. */
function versionName({ handle }: Declaration, { handle: served }: ServedVersion): string {
  return served.group === handle.group ? served.version : apiVersionOf(served);
}

function versioned(
  resource: ServedResource,
  version: ServedVersion,
  schema: StructSchema,
): VersionedResource {
  const { handle, common } = resource.declaration;
  const apiVersion = apiVersionOf(version.handle);
  const storedApiVersion = apiVersionOf(handle);
  // If a webhook converts, stored objects may be in any version.
  const isStored = apiVersion === storedApiVersion && !version.webhook;
  return {
    resource,
    version,
    schema,
    codec: new VersionCodec(version.handle, schema),
    ...(common && isStored ? { recurring: new RecurringPart(common.field) } : {}),
    apiVersion,
    isStored,
    ...(isStored ? noConversion : conversionOf(version, apiVersion, storedApiVersion)),
  };
}
