import type { JSONSchemaProps } from "#/api/apiextensions/v1.ts";
import { invalid, required, tooMany } from "../meta/field-error.ts";
import { correlateFields } from "./ratcheting.ts";
import type { StructuralSchema } from "./structural-schema.ts";
import { type Check, childPath, uncorrelated, type ValidationRun } from "./validation-run.ts";

/** A schema's rules for objects. */
interface ObjectRule {
  readonly properties: ReadonlyMap<string, Check>;
  /**
   * The check of fields with other names; "forbidden" if none are allowed, undefined if any value
   * is.
   */
  readonly additional: Check | "forbidden" | undefined;
  readonly required: readonly string[];
  readonly minProperties: number;
  readonly maxProperties: number;
  readonly place: StructuralSchema | undefined;
}

/** Creates the object rule of a schema; `compile` gives the check of a field. */
export function objectRule(
  source: JSONSchemaProps,
  place: StructuralSchema | undefined,
  compile: (name: string, schema: JSONSchemaProps) => Check,
): ObjectRule {
  const { additionalProperties } = source;
  const properties = Object.entries(source.properties ?? {});
  return {
    properties: new Map(properties.map(([name, schema]) => [name, compile(name, schema)])),
    additional:
      typeof additionalProperties === "object"
        ? compile("", additionalProperties)
        : additionalProperties === false
          ? "forbidden"
          : undefined,
    required: source.required ?? [],
    minProperties: source.minProperties ?? 0,
    maxProperties: source.maxProperties ?? Number.POSITIVE_INFINITY,
    place,
  };
}

/**
 * Checks an object: the number of its fields, each field, and required fields.
 *
 * Upstream: vendor/k8s.io/kube-openapi/pkg/validation/validate/object_validator.go.
 */
export function checkObject(
  rule: ObjectRule,
  object: Readonly<Record<string, unknown>>,
  old: unknown,
  run: ValidationRun,
): void {
  checkSize(rule, object, run);
  const findOld = findOldField(rule, old, run);
  if (rule.additional !== undefined) checkAdditional(rule, object, findOld, run);
  for (const [name, check] of rule.properties) {
    if (Object.hasOwn(object, name)) run.checkPart(name, check, object[name], findOld(name));
  }
  for (const name of rule.required) {
    if (Object.hasOwn(object, name)) continue;
    const missing = run.name === "" ? name : `${run.name}.${name}`;
    run.add({
      message: `${missing} in body is required`,
      toFieldError: (base) => required(childPath(base, missing)),
    });
  }
}

function checkSize(
  { minProperties, maxProperties }: ObjectRule,
  object: Readonly<Record<string, unknown>>,
  run: ValidationRun,
): void {
  if (minProperties === 0 && maxProperties === Number.POSITIVE_INFINITY) return;
  const size = Object.keys(object).length;
  if (size < minProperties) {
    const text = `should have at least ${minProperties} properties`;
    run.report(text, (path, message) => invalid(path, size, message));
  }
  if (size > maxProperties) {
    const text = `should have at most ${maxProperties} properties`;
    run.report(text, (path) => tooMany(path, size, maxProperties));
  }
}

function checkAdditional(
  { properties, additional }: ObjectRule,
  object: Readonly<Record<string, unknown>>,
  findOld: (name: string) => unknown,
  run: ValidationRun,
): void {
  for (const key of Object.keys(object)) {
    if (properties.has(key) || additional === undefined) continue;
    if (additional === "forbidden") {
      const message = `${run.name}.${key} in body is a forbidden property`;
      const { name } = run;
      run.add({ message, toFieldError: (base) => invalid(childPath(base, name), key, message) });
    } else {
      run.checkPart(key, additional, object[key], findOld(key));
    }
  }
}

/** The old value of a field; apiVersion and kind of the root object are always checked. */
function findOldField(
  { place }: ObjectRule,
  old: unknown,
  run: ValidationRun,
): (name: string) => unknown {
  const find = correlateFields(old, place);
  if (run.path.length > 0) return find;
  return (name) => (name === "apiVersion" || name === "kind" ? uncorrelated : find(name));
}
