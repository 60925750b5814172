import type {
  CustomResourceDefinition,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
} from "#/api/apiextensions/v1.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import {
  buildStructuralSchema,
  StructuralSchemaError,
} from "#/machinery/structural/structural-schema.ts";
import { validateStructural } from "#/machinery/structural/validate-structural.ts";
import { caBundleProblem } from "../rules/webhook-client.ts";
import { isTrue } from "./condition.ts";
import { hubSpec } from "./hub-spec.ts";
import { validateListMapKeys, validateSetItems } from "./list-rules.ts";
import { someSchema, specSchemas } from "./schema-traits.ts";
import { type ConversionRules, hasKnownReview } from "./validate-conversion.ts";
import type { ValidationRules } from "./validate-validation.ts";

/** The validation rules of a CRD. On an update some are relaxed for values that the old CRD has. */
export interface DefinitionRules extends ValidationRules, ConversionRules {
  /** Every version must have a schema. */
  readonly everySchema: boolean;
  /** Whether an update leaves the schema of a version unchanged. */
  readonly isUnchanged: (version: string) => boolean;
  /** Whether a version ("" for all) of the old CRD had too many selectable fields. */
  readonly anySelectable: (version: string) => boolean;
}

/** The rules for a new CRD. */
export const newRules: DefinitionRules = {
  structural: true,
  everySchema: true,
  knownTypes: true,
  atomicSets: true,
  listKeys: true,
  knownReview: true,
  // A new CRD may have any bundle: a CRD with a bad bundle is never established, so it is never served.
  anyCABundle: true,
  isOldExpression: () => false,
  isUnchanged: () => false,
  anySelectable: () => false,
};

const nowhere = fieldPath("schema");
const knownTypes = ["string", "number", "integer", "boolean", "array", "object"];

/** The rules for a CRD that replaces another. */
export function updateRules(
  crd: CustomResourceDefinition,
  old: CustomResourceDefinition,
): DefinitionRules {
  const { conversion, versions = [] } = old.spec;
  const caBundle = conversion?.webhook?.clientConfig?.caBundle ?? "";
  const reviews = conversion?.webhook?.conversionReviewVersions ?? [];
  const expressions = expressionsOf(old.spec);
  return {
    structural: !versions.some(isNonStructural),
    everySchema: versions.every(({ schema }) => schema?.openAPIV3Schema !== undefined),
    knownTypes: !someSchema(old.spec, ({ type = "" }) => type !== "" && !knownTypes.includes(type)),
    atomicSets: !someSchema(old.spec, (schema) => validateSetItems(schema, nowhere).length > 0),
    listKeys: !someSchema(
      old.spec,
      (schema) =>
        validateListMapKeys(schema, nowhere, true).length >
        validateListMapKeys(schema, nowhere, false).length,
    ),
    knownReview: reviews.length === 0 || hasKnownReview(reviews),
    anyCABundle:
      !isTrue(old, "Established") || (caBundle !== "" && caBundleProblem(caBundle) !== undefined),
    isOldExpression: (expression) => expressions.has(expression),
    isUnchanged: (name) => deepEqual(versionOf(crd, name)?.schema, versionOf(old, name)?.schema),
    anySelectable: (name) => anySelectable(crd.spec, old.spec, name),
  };
}

function versionOf(
  { spec }: CustomResourceDefinition,
  name: string,
): CustomResourceDefinitionVersion | undefined {
  return spec.versions?.find((version) => version.name === name);
}

function isNonStructural({ schema }: CustomResourceDefinitionVersion): boolean {
  if (!schema?.openAPIV3Schema) return false;
  try {
    buildStructuralSchema(schema.openAPIV3Schema);
    return validateStructural(schema.openAPIV3Schema, nowhere).length > 0;
  } catch (error) {
    if (error instanceof StructuralSchemaError) return true;
    throw error;
  }
}

function expressionsOf(spec: CustomResourceDefinitionSpec): Set<string> {
  const expressions = new Set<string>();
  for (const schema of specSchemas(spec)) {
    for (const { rule, messageExpression } of schema["x-kubernetes-validations"] ?? []) {
      expressions.add(rule);
      if (messageExpression) expressions.add(messageExpression);
    }
  }
  return expressions;
}

const maxSelectableFields = 8;

function anySelectable(
  spec: CustomResourceDefinitionSpec,
  old: CustomResourceDefinitionSpec,
  name: string,
): boolean {
  const fieldsOf = (one: CustomResourceDefinitionSpec) => {
    const { shared, versions } = hubSpec(one);
    const named = versions.find((version) => version.name === name);
    return (name === "" ? shared : named)?.selectableFields ?? [];
  };
  const before = fieldsOf(old);
  return before.length > maxSelectableFields && deepEqual(fieldsOf(spec), before);
}
