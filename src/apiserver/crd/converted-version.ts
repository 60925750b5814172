import { decodeJson } from "#/machinery/codec/json/decode-json.ts";
import { documentOf } from "#/machinery/codec/json/json-document.ts";
import { apiVersionOf } from "#/machinery/meta/api-version.ts";
import { invalid } from "#/machinery/meta/status-error.ts";
import { deepCopy } from "#/machinery/objects/deep-copy.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { inPace } from "../model/pace.ts";
import type { ApiObject, ServedVersion, WebhookConversion } from "../registry/strategy.ts";
import { inTurns } from "../verbs/in-turns.ts";
import type { Conversion } from "./custom-resource.ts";
import { validateBody } from "./custom-rules.ts";
import type { CustomVersion } from "./custom-version.ts";

/**
 * A version that a webhook converts to and from. The conversion of a stored object is cached as long as that object, so
 * that the webhook is called once for each version of each object.
 */
export function convertedVersion(
  version: CustomVersion,
  stored: CustomVersion,
  conversion: Conversion,
): WebhookConversion {
  const apiVersion = apiVersionOf(version.handle);
  /** Not a memo, as a webhook responds asynchronously, and for many objects at once. */
  const known = new WeakMap<ApiObject, ApiObject>();
  const prepared = (object: ApiObject): ApiObject | undefined =>
    object.apiVersion === apiVersion ? object : known.get(object);
  const convert = async (
    objects: readonly ApiObject[],
    to: CustomVersion,
  ): Promise<ApiObject[]> => {
    const converted = await conversion.convert(objects, apiVersionOf(to.handle));
    return inTurns(converted, (object) => adopt(object, to));
  };
  return {
    prepared,
    async prepare(objects) {
      const missing = objects.filter((object) => prepared(object) === undefined);
      if (missing.length === 0) return;
      const converted = await convert(missing, version);
      for (const [index, object] of missing.entries()) {
        const result = converted[index];
        if (result) known.set(object, result);
      }
    },
    async toStored(object) {
      if (version === stored) return object;
      const errors = await inPace(undefined, "validation", validateBody(version, object));
      if (errors.length > 0) throw invalid(version.handle, object.metadata.name ?? "", errors);
      const [converted = object] = await convert([object], stored);
      return converted;
    },
    async fromStored(object) {
      const [converted = object] = await convert([object], version);
      return converted;
    },
  };
}

/**
 * A version that differs only in apiVersion: fields that the other version does not have are lost. Nothing is done if
 * both have the same schema.
 */
export function retypedVersion(
  version: CustomVersion,
  stored: CustomVersion,
): Pick<ServedVersion, "toStored" | "fromStored"> {
  if (deepEqual(version.spec.schema, stored.spec.schema)) return {};
  return {
    toStored: (object) => adopt(deepCopy(object), stored),
    fromStored: (object) => adopt(object, version),
  };
}

/** Drops unknown fields of a converted object. It gets no defaults. */
export function adopt(object: ApiObject, { schema, coerce }: CustomVersion): ApiObject {
  const { value } = decodeJson<ApiObject>(documentOf(object), schema, false);
  value.metadata ??= {};
  coerce(value);
  return value;
}
