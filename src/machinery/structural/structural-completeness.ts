import type { JSONSchemaProps } from "#/api/apiextensions/v1.ts";
import { append } from "#/std/base/append.ts";
import { type FieldError, required } from "../meta/field-error.ts";
import type { FieldPath } from "../meta/field-path.ts";
import { itemsOf } from "./structural-schema.ts";

/** Two schemas of one value: its structure, and the rules below allOf, anyOf, oneOf or not. */
interface Place {
  readonly structure: JSONSchemaProps | undefined;
  readonly structurePath: FieldPath;
  readonly rules: JSONSchemaProps;
  readonly rulesPath: FieldPath;
}

/**
 * Finds rules for fields and items that are not in the structure of a schema.
 *
 * Upstream: staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/schema/complete.go.
 */
export function validateCompleteness(schema: JSONSchemaProps, path: FieldPath): FieldError[] {
  return validateJunctors({
    structure: schema,
    structurePath: path,
    rules: schema,
    rulesPath: path,
  });
}

function validateJunctors({ rules, rulesPath, ...place }: Place): FieldError[] {
  const { not, allOf = [], anyOf = [], oneOf = [] } = rules;
  const errors: FieldError[] = [];
  if (not !== undefined) {
    append(errors, validateRules({ ...place, rules: not, rulesPath: rulesPath.child("not") }));
  }
  for (const [name, list] of Object.entries({ allOf, anyOf, oneOf })) {
    list.forEach((one, index) => {
      const at = rulesPath.child(name).index(index);
      append(errors, validateRules({ ...place, rules: one, rulesPath: at }));
    });
  }
  return errors;
}

function validateRules(place: Place): FieldError[] {
  const { structure, structurePath, rules, rulesPath } = place;
  if (structure === undefined) return [missing(structurePath, rulesPath)];
  const errors = validateJunctors(place);
  if (rules.items !== undefined) {
    errors.push(
      ...validateRules({
        structure: structure.items === undefined ? undefined : itemsOf(structure.items),
        structurePath: structurePath.child("items"),
        rules: itemsOf(rules.items),
        rulesPath: rulesPath.child("items"),
      }),
    );
  }
  const fields = structure.properties ?? {};
  for (const [name, field] of Object.entries(rules.properties ?? {})) {
    errors.push(
      ...validateRules({
        structure: Object.hasOwn(fields, name) ? fields[name] : undefined,
        structurePath: structurePath.child("properties").key(name),
        rules: field,
        rulesPath: rulesPath.child("properties").key(name),
      }),
    );
  }
  return errors;
}

function missing(path: FieldPath, rulesPath: FieldPath): FieldError {
  return required(path, `because it is defined in ${rulesPath}`);
}
