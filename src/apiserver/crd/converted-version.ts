import { decodeJson } from "#/machinery/codec/json/decode-json.ts";
import { documentOf } from "#/machinery/codec/json/json-document.ts";
import { invalid } from "#/machinery/meta/status-error.ts";
import { apiVersionOf } from "../registry/served-resource.ts";
import type { ApiObject, ServedVersion } from "../registry/strategy.ts";
import type { Conversion } from "./custom-resource.ts";
import { validateBody } from "./custom-rules.ts";
import type { CustomVersion } from "./custom-version.ts";

type Converting = Required<Pick<ServedVersion, "toStored" | "fromStored" | "prepare" | "prepared">>;

/**
 * A version that a webhook converts to and from. What it made of a stored object is kept as long as that object, so that
 * it is asked once for each version of each object.
 */
export function convertedVersion(
  version: CustomVersion,
  stored: CustomVersion,
  conversion: Conversion,
): Converting {
  const apiVersion = apiVersionOf(version.handle);
  const known = new WeakMap<ApiObject, ApiObject>();
  const prepared = (object: ApiObject): ApiObject | undefined =>
    object.apiVersion === apiVersion ? object : known.get(object);
  const convert = async (
    objects: readonly ApiObject[],
    to: CustomVersion,
  ): Promise<ApiObject[]> => {
    const converted = await conversion.convert(objects, apiVersionOf(to.handle));
    return converted.map((object) => adopt(object, to));
  };
  return {
    prepared,
    prepare(objects) {
      const missing = objects.filter((object) => prepared(object) === undefined);
      if (missing.length === 0) return undefined;
      return convert(missing, version).then((converted) => {
        for (const [index, object] of missing.entries()) {
          const result = converted[index];
          if (result) known.set(object, result);
        }
      });
    },
    async toStored(object) {
      if (version === stored) return object;
      const errors = validateBody(version, object);
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

/** What a webhook sent, in the shape of the version: unknown fields dropped, defaults filled in. */
function adopt(object: ApiObject, { schema, coerce, setDefaults }: CustomVersion): ApiObject {
  const { value } = decodeJson<ApiObject>(documentOf(object), schema, false);
  value.metadata ??= {};
  coerce(value);
  setDefaults(value);
  return value;
}
