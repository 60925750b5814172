import type { FieldType } from "#/machinery/apply/field-type.ts";
import { mergeObjects } from "#/machinery/apply/merge.ts";
import { asList, asMap, memberType } from "#/machinery/apply/typed-value.ts";
import { joinMessages, validateObject } from "#/machinery/apply/validate.ts";
import type { JsonObject } from "#/machinery/patch/values/json-value.ts";
import { MutationError } from "./mutation-error.ts";

/** The merge schema of an object's kind; throws if it is unknown. */
export type FindFieldType = () => FieldType;

/**
 * Applies an apply configuration to an object. Throws MutationError.
 * Upstream: staging/src/k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch/smd.go.
 */
export function mergeConfiguration(
  object: JsonObject,
  configuration: JsonObject,
  findFieldType: FindFieldType,
): JsonObject {
  const type = findFieldType();
  const patch = { ...configuration, apiVersion: object["apiVersion"], kind: object["kind"] };
  const problems = validateObject(type, patch);
  if (problems.length > 0) {
    const list = joinMessages(problems);
    throw failed(`failed to convert patch object to typed object: ${list}`);
  }
  const atomics = findAtomics(type, patch, "");
  if (atomics.length > 0) {
    const list = atomics.join(", ");
    throw failed(
      `invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${list}`,
    );
  }
  return mergeObjects(type, object, patch);
}

const failed = (reason: string): MutationError =>
  new MutationError(`error applying patch: ${reason}`);

/** The paths of atomic values in a configuration. */
function findAtomics(type: FieldType, value: unknown, path: string): string[] {
  const map = asMap(value);
  if (map && (type.kind === "map" || type.kind === "any")) {
    const below = Object.entries(map).flatMap(([key, member]) => {
      const known = type.fields.get(key) && memberType(type, key);
      return known ? findAtomics(known, member, `${path}.${key}`) : [];
    });
    return type.atomic ? [path, ...below] : below;
  }
  const list = asList(value);
  if (!list || (type.kind !== "list" && type.kind !== "any")) return [];
  const { item } = type;
  const below = item
    ? list.flatMap((member, index) => findAtomics(item, member, `${path}[${index}]`))
    : [];
  return type.atomic || type.kind === "any" ? [path, ...below] : below;
}
