import type { CustomResourceValidation, JSONSchemaProps } from "#/api/apiextensions/v1.ts";
import { validateDefinitionRules } from "#/machinery/cel/rules/definition-rules.ts";
import { ruleValidator } from "#/machinery/cel/rules/rule-validator.ts";
import type { JsonSchema } from "#/machinery/cel/schema/json-schema.ts";
import { type FieldError, forbidden, invalid } from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { type DefaultCheck, validateDefaults } from "#/machinery/structural/default-rules.ts";
import {
  buildStructuralSchema,
  StructuralSchemaError,
} from "#/machinery/structural/structural-schema.ts";
import { validateStructural } from "#/machinery/structural/validate-structural.ts";
import { append } from "#/std/base/append.ts";
import type { Steps } from "#/std/base/steps.ts";
import { setFields, shownSchema } from "./shown-spec.ts";
import { type SchemaRules, validateSchema } from "./validate-schema.ts";

export interface ValidationRules extends SchemaRules {
  readonly structural: boolean;
  /** Whether the old CRD has a CEL rule. */
  readonly isOldExpression: (expression: string) => boolean;
}

/** Position of the schema of one version, or of all versions, and the features it may use. */
interface ValidationPlace {
  readonly path: FieldPath;
  readonly hasStatus: boolean;
  /** An update leaves the schema unchanged, so the cost limit of its rules does not apply. */
  readonly unchanged: boolean;
}

/** New expressions must compile in the previous release too, so that a rollback does not break them. */
const compatibleMinor = 36;

/**
 * Validation errors of the schema of a version.
 *
 * Upstream: staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go.
 */
export function* validateValidation(
  { openAPIV3Schema: schema }: CustomResourceValidation,
  { path, hasStatus, unchanged }: ValidationPlace,
  rules: ValidationRules,
): Steps<FieldError[]> {
  if (schema === undefined) return [];
  const at = path.child("openAPIV3Schema");
  const errors = hasStatus ? validateRoot(schema, path) : [];
  if (schema.nullable) {
    const detail = "nullable cannot be true at the root";
    errors.push(forbidden(path.child("openAPIV3Schema.nullable"), detail));
  }
  const structure = rules.structural ? validateStructure(schema, at) : undefined;
  append(errors, structure?.errors ?? []);
  yield;
  const unsound = new Set<JSONSchemaProps>();
  append(errors, validateSchema(schema, at, rules, unsound));
  yield;
  const compiles = structure !== undefined && structure.errors.length === 0 && !structure.problem;
  const found = yield* validateDefinitionRules(schema as JsonSchema, at, {
    textsOnly: !compiles,
    isSound: (one) => !unsound.has(one as JSONSchemaProps),
    anyExpressionCost: unchanged,
    compatibility: (expression) =>
      rules.isOldExpression(expression) ? undefined : compatibleMinor,
  });
  append(errors, found);
  if (errors.length === 0 && structure?.problem) errors.push(invalid(at, "", structure.problem));
  return errors;
}

/** Go names of the fields that may occur at the root beside the properties, if there is a status subresource. */
const allowedAtRoot =
  "Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations";
const allowedNames: ReadonlySet<string> = new Set(allowedAtRoot.split(" "));

function validateRoot(schema: JSONSchemaProps, path: FieldPath): FieldError[] {
  for (const name of setFields(schema)) {
    if (name === "Type" && schema.type !== "object") {
      const detail =
        'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
      return [invalid(path.child("openAPIV3Schema.type"), schema.type, detail)];
    }
    if (!allowedNames.has(name)) {
      const detail = `only [${allowedAtRoot}] fields are allowed at the root of the schema if the status subresource is enabled`;
      return [invalid(path.child("openAPIV3Schema"), shownSchema(schema), detail)];
    }
  }
  return [];
}

/** Errors of the structure and of defaults. A problem is an error that other rules usually report more precisely. */
function validateStructure(
  schema: JSONSchemaProps,
  path: FieldPath,
): { errors: readonly FieldError[]; problem?: string } {
  try {
    const structural = buildStructuralSchema(schema);
    const errors = validateStructural(schema, path);
    return {
      errors: errors.length > 0 ? errors : validateDefaults(structural, path, checkDefault),
    };
  } catch (error) {
    if (!(error instanceof StructuralSchemaError)) throw error;
    return { errors: [], problem: error.message };
  }
}

/** A default must satisfy the CEL rules both as a new and as an old value. */
const checkDefault: DefaultCheck = (value, schema, path) => {
  const validator = ruleValidator(schema.source as JsonSchema, { isRoot: schema.embedded });
  if (validator === undefined) return [];
  const { errors } = validator.validate(value, { old: value }, path);
  return errors.length > 0 ? [...errors] : [...validator.validate(value, {}, path).errors];
};
