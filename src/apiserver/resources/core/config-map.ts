import { type ConfigMap, configMaps } from "#/api/core/v1.ts";
import { type FieldError, forbidden, invalid, tooLong } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { nameIsDNSSubdomain } from "#/machinery/meta/names.ts";
import { isConfigMapKey } from "#/machinery/meta/text-rules.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { type Decoded, serve } from "../../registry/strategy.ts";
import { ageColumn, nameColumn } from "../rules/age.ts";
import { validateMetaUpdate, validateNamespacedMeta } from "../rules/object-meta-rules.ts";
import { base64Bytes, maxDataBytes } from "./data-size.ts";

/** Upstream: pkg/registry/core/configmap/strategy.go, pkg/apis/core/validation/validation.go. */
export const configMap = serve(configMaps, {
  validate: validateConfigMap,
  validateUpdate: (object, old) => [
    ...validateMetaUpdate(object.metadata, old.metadata),
    ...validateImmutable(object, old),
    ...validateConfigMap(object),
  ],
  columns: [
    nameColumn,
    {
      name: "Data",
      type: "string",
      cell: ({ data, binaryData }) => countKeys(data) + countKeys(binaryData),
    },
    ageColumn,
  ],
});

const countKeys = (record: object | undefined): number =>
  record === undefined ? 0 : Object.keys(record).length;

function validateConfigMap({ metadata, data, binaryData }: Decoded<ConfigMap>): FieldError[] {
  const errors = validateNamespacedMeta(metadata, nameIsDNSSubdomain);
  let bytes = 0;
  for (const key in data) {
    const problems = isConfigMapKey(key);
    for (const problem of problems) errors.push(invalid(fieldPath("data").key(key), key, problem));
    if (binaryData !== undefined && Object.hasOwn(binaryData, key)) {
      const path = fieldPath("data").key(key);
      errors.push(invalid(path, key, "duplicate of key present in binaryData"));
    }
    bytes += Buffer.byteLength(data[key] ?? "");
  }
  for (const key in binaryData) {
    for (const problem of isConfigMapKey(key)) {
      errors.push(invalid(fieldPath("binaryData").key(key), key, problem));
    }
    bytes += base64Bytes(binaryData[key] ?? "");
  }
  // Upstream names no field here.
  if (bytes > maxDataBytes) errors.push(tooLong(fieldPath(""), maxDataBytes));
  return errors;
}

function validateImmutable(object: ConfigMap, old: ConfigMap): FieldError[] {
  if (!old.immutable) return [];
  const errors: FieldError[] = [];
  const refuse = (field: string): void => {
    errors.push(forbidden(fieldPath(field), "field is immutable when `immutable` is set"));
  };
  if (!object.immutable) refuse("immutable");
  if (!deepEqual(object.data, old.data)) refuse("data");
  if (!deepEqual(object.binaryData, old.binaryData)) refuse("binaryData");
  return errors;
}
