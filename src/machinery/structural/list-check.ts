import type { JSONSchemaProps } from "#/api/apiextensions/v1.ts";
import { invalid, tooMany } from "../meta/field-error.ts";
import { correlateItems } from "./ratcheting.ts";
import { sortedJson } from "./sorted-json.ts";
import type { StructuralSchema } from "./structural-schema.ts";
import type { Check, ValidationRun } from "./validation-run.ts";

/** A schema's rules for lists. */
interface ListRule {
  readonly items: Check | undefined;
  readonly minItems: number;
  readonly maxItems: number;
  readonly uniqueItems: boolean;
  readonly place: StructuralSchema | undefined;
}

/** Creates the list rule of a schema. */
export function listRule(
  source: JSONSchemaProps,
  place: StructuralSchema | undefined,
  items: Check | undefined,
): ListRule {
  return {
    items,
    minItems: source.minItems ?? 0,
    maxItems: source.maxItems ?? Number.POSITIVE_INFINITY,
    uniqueItems: source.uniqueItems ?? false,
    place,
  };
}

/**
 * Checks a list: its items, then its length.
 *
 * Upstream: vendor/k8s.io/kube-openapi/pkg/validation/validate/slice_validator.go.
 */
export function checkList(
  rule: ListRule,
  list: readonly unknown[],
  old: unknown,
  run: ValidationRun,
): void {
  const { items, minItems, maxItems } = rule;
  if (items !== undefined) {
    const findOld = correlateItems(old, rule.place);
    list.forEach((item, index) => {
      run.checkPart(index, items, item, findOld(item));
    });
  }
  const size = list.length;
  if (size < minItems) {
    const text = `should have at least ${minItems} items`;
    run.report(text, (path, message) => invalid(path, size, message));
  }
  if (size > maxItems) {
    const text = `should have at most ${maxItems} items`;
    run.report(text, (path) => tooMany(path, size, maxItems));
  }
  if (rule.uniqueItems && new Set(list.map(sortedJson)).size < size) {
    const text = "shouldn't contain duplicates";
    run.report(text, (path, message) => invalid(path, "", message));
  }
}
