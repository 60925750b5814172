import { decodeJson } from "#/machinery/codec/json/decode-json.ts";
import { documentOf } from "#/machinery/codec/json/json-document.ts";
import { DecodeError } from "#/machinery/codec/shape/decode-error.ts";
import { internalError } from "#/machinery/meta/status-error.ts";
import { deepCopy } from "#/machinery/objects/deep-copy.ts";
import type { Pace } from "../../model/pace.ts";
import type { Attributes } from "../../registry/admission.ts";
import { completeObject } from "../../registry/complete-object.ts";
import type { Registry } from "../../registry/registry.ts";
import type { VersionedResource } from "../../registry/served-resource.ts";
import type { ApiObject } from "../../registry/strategy.ts";
import type { Target } from "./matched-request.ts";

/** The objects of a request in the version that a webhook or policy has registered for. */
export interface VersionedObjects {
  readonly object: ApiObject | undefined;
  readonly oldObject: ApiObject | undefined;
}

/** Converts the objects of a request. Read-only: they may be the request's own. */
export async function versionedObjects(
  registry: Registry,
  { object, oldObject, pace }: Pick<Attributes, "object" | "oldObject" | "pace">,
  target: Target,
): Promise<VersionedObjects> {
  const versioned = versionOf(registry, target);
  if (pace?.isLarge) await pace.rest("conversion");
  const converted = object && (await inVersion(versioned, object));
  if (pace?.isLarge) await pace.rest("conversion");
  return { object: converted, oldObject: oldObject && (await inVersion(versioned, oldObject)) };
}

async function inVersion(
  versioned: VersionedResource | undefined,
  object: ApiObject,
): Promise<ApiObject> {
  return versioned ? await versioned.convert(object) : object;
}

/**
 * Converts a changed object, as plain JSON, back to the stored version: unknown fields are dropped, defaults
 * are set.
 */
export async function storedObject(
  registry: Registry,
  target: Target,
  changed: unknown,
  pace?: Pace,
): Promise<ApiObject> {
  const versioned = versionOf(registry, target);
  if (!versioned) return changed as ApiObject;
  try {
    const document = documentOf(deepCopy(changed));
    if (pace?.isLarge) await pace.rest("decode");
    const { value } = decodeJson<ApiObject>(document, versioned.schema, false);
    value.metadata ??= {};
    if (pace?.isLarge) await pace.rest("defaults");
    return await completeObject(versioned, value);
  } catch (error) {
    if (error instanceof DecodeError) throw internalError(error);
    throw error;
  }
}

/** The version of the resource; undefined if the objects are of a subresource's own kind. */
function versionOf(registry: Registry, target: Target): VersionedResource | undefined {
  const { group, version, resource, kind } = target;
  const found = registry.catalog.find(group, version, resource);
  return found?.version.handle.kind === kind.kind ? found : undefined;
}
