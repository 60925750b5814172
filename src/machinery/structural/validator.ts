import type { JSONSchemaProps } from "#/api/apiextensions/v1.ts";
import type { ErrorPath, FieldError } from "../meta/field-error.ts";
import { type Combinators, checkCombinators } from "./combinators.ts";
import { checkEnum } from "./enum-check.ts";
import { checkList, listRule } from "./list-check.ts";
import { checkNumber, type NumberRule } from "./number-check.ts";
import { checkObject, objectRule } from "./object-check.ts";
import { ratcheted } from "./ratcheting.ts";
import { checkString, stringRule } from "./string-check.ts";
import { findFormat, supportedFormat } from "./string-formats.ts";
import { itemsOf, type StructuralSchema, schemaOfField } from "./structural-schema.ts";
import { checkType, jsonTypeOf, reportType } from "./type-check.ts";
import { type Check, uncorrelated, ValidationRun } from "./validation-run.ts";

/** The compiled rules of a schema for values. */
export interface Validator {
  /** Validates a value. */
  validate(value: unknown, path?: ErrorPath): FieldError[];
  /** The same, except that unchanged parts may be invalid (ratcheting). */
  validateUpdate(value: unknown, old: unknown, path?: ErrorPath): FieldError[];
}

/**
 * Compiles the rules of a structural schema for values.
 *
 * Upstream: staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/validation,
 * vendor/k8s.io/kube-openapi/pkg/validation/validate.
 */
export function compileValidator(schema: StructuralSchema): Validator {
  const check = ratcheted(compileCheck(schema.source, schema), schema);
  const found = (run: ValidationRun, path: ErrorPath): FieldError[] =>
    run.violations.map((violation) => violation.toFieldError(path));
  return {
    validate(value, path) {
      const run = new ValidationRun();
      check(value, uncorrelated, run);
      return found(run, path);
    },
    validateUpdate(value, old, path) {
      const run = new ValidationRun();
      check(value, old, run);
      return found(run, path);
    },
  };
}

/** Compiles a schema, which is a structural one or a nested one at its place. */
function compileCheck(source: JSONSchemaProps, place: StructuralSchema | undefined): Check {
  const types = source["x-kubernetes-int-or-string"]
    ? ["integer", "string"]
    : source.type
      ? [source.type]
      : [];
  const format = supportedFormat(types, source.format ?? "");
  const type = { types, format, nullable: source.nullable ?? false };
  const number: NumberRule = { ...source, ...numberType(types, format) };
  const string = stringRule(source);
  const isFormat = findFormat(format);
  const combinators = compileCombinators(source, place);
  const list = listRule(source, place, compileItems(source, place));
  const object = objectRule(source, place, (name, schema) =>
    compilePart(schema, schemaOfField(place, name)),
  );
  const allowed = source.enum ?? [];

  return (value, old, run) => {
    const found = jsonTypeOf(value);
    if (types.length > 0 || format !== "" || found === "null") checkType(type, value, run);
    if (found !== "null") {
      run.matches += types.length > 0 || format !== "" ? 5 : 4;
      checkCombinators(combinators, value, run);
    }
    if (typeof value === "string") {
      run.matches += isFormat === undefined ? 1 : 2;
      checkString(string, value, run);
      if (isFormat !== undefined && !isFormat(value)) reportType(run, format, value);
    } else if (typeof value === "number" || typeof value === "bigint") {
      run.matches += 2;
      checkNumber(number, value, run);
    } else if (found === "array") {
      run.matches += 2;
      checkList(list, value as unknown[], old, run);
    }
    if (allowed.length > 0) checkEnum(allowed, value, run);
    if (found === "object") {
      run.matches++;
      checkObject(object, value as Record<string, unknown>, old, run);
    }
  };
}

/** The type and format that limit numbers: only if the schema has a single type. */
function numberType(types: readonly string[], format: string): { type: string; format: string } {
  const [only = ""] = types.length === 1 ? types : [];
  if (only === "integer" || only === "number") return { type: only, format };
  return { type: "", format: "" };
}

function compileItems(
  { items }: JSONSchemaProps,
  place: StructuralSchema | undefined,
): Check | undefined {
  return items === undefined ? undefined : compilePart(itemsOf(items), place?.items);
}

/** The check of a field or an item, which ignores problems of unchanged values. */
function compilePart(source: JSONSchemaProps, place: StructuralSchema | undefined): Check {
  return ratcheted(compileCheck(source, place), place);
}

function compileCombinators(
  { anyOf = [], oneOf = [], allOf = [], not }: JSONSchemaProps,
  place: StructuralSchema | undefined,
): Combinators {
  const compile = (schema: JSONSchemaProps): Check => compileCheck(schema, place);
  return {
    anyOf: anyOf.map(compile),
    oneOf: oneOf.map(compile),
    allOf: allOf.map(compile),
    not: not === undefined ? undefined : compile(not),
  };
}
