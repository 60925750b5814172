import type { MatchCondition, ParamKind } from "#/api/admissionregistration/v1.ts";
import { boolType } from "#/machinery/cel/type/cel-type.ts";
import {
  duplicate,
  type FieldError,
  invalid,
  required,
  tooMany,
} from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { isQualifiedName } from "#/machinery/meta/names.ts";
import { append } from "#/std/base/append.ts";
import type { Steps } from "#/std/base/steps.ts";
import { PolicyExpressions } from "./policy-expressions.ts";

const maxConditions = 64;

interface ConditionOptions {
  readonly paramKind?: ParamKind | undefined;
  /** Expressions that the old object has. */
  readonly old?: ReadonlySet<string>;
}

/** Validation errors of the conditions of a webhook or a policy. */
export function* validateMatchConditions(
  conditions: readonly MatchCondition[] | undefined,
  path: FieldPath,
  { paramKind, old = new Set() }: ConditionOptions = {},
): Steps<FieldError[]> {
  const list = conditions ?? [];
  if (list.length === 0) return [];
  const errors = list.length > maxConditions ? [tooMany(path, list.length, maxConditions)] : [];
  const expressions = new PolicyExpressions({ paramKind });
  const names = new Set<string>();
  for (const [index, { name, expression }] of list.entries()) {
    const at = path.index(index);
    const trimmed = expression.trim();
    const place = { path: at.child("expression"), types: [boolType], isOld: old.has(trimmed) };
    if (trimmed === "") errors.push(required(place.path));
    else append(errors, yield* expressions.check(trimmed, place));
    if (!name) {
      errors.push(required(at.child("name")));
      continue;
    }
    for (const problem of isQualifiedName(name)) {
      errors.push(invalid(at.child("name"), name, problem));
    }
    if (names.has(name)) errors.push(duplicate(at.child("name"), name));
    names.add(name);
  }
  return errors;
}
