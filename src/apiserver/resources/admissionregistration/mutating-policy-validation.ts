import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicySpec,
  Mutation,
} from "#/api/admissionregistration/v1.ts";
import { type CelType, listOf, objectType } from "#/machinery/cel/type/cel-type.ts";
import { type FieldError, invalid, required } from "#/machinery/meta/field-error.ts";
import { type FieldPath, fieldPath } from "#/machinery/meta/field-path.ts";
import { append } from "#/std/base/append.ts";
import type { Steps } from "#/std/base/steps.ts";
import type { Decoded } from "../../registry/strategy.ts";
import { PolicyExpressions } from "./policy-expressions.ts";
import {
  validateOldConditions,
  validatePolicyStart,
  validateVariables,
} from "./policy-validation.ts";
import { unsupported, validateMutatingOperations } from "./rule-validation.ts";
import { reinvocationPolicies } from "./webhook-validation.ts";

type Policy = Decoded<MutatingAdmissionPolicy>;

const patchTypes = ["ApplyConfiguration", "JSONPatch"];
const path = fieldPath("spec");

/** For each type of patch: the field of its expression and the type of its result. */
const forms: Readonly<
  Record<string, { readonly field: "jsonPatch" | "applyConfiguration"; readonly type: CelType }>
> = {
  JSONPatch: { field: "jsonPatch", type: listOf(objectType("JSONPatch")) },
  ApplyConfiguration: { field: "applyConfiguration", type: objectType("Object") },
};

/** Validation errors of the spec of a policy. Upstream: pkg/apis/admissionregistration/validation/validation.go. */
export function* validateMutatingPolicy({ spec = {} }: Policy, old?: Policy): Steps<FieldError[]> {
  const { mutations = [], paramKind, variables = [], reinvocationPolicy = "" } = spec;
  const errors = [
    ...(yield* validateStart(spec, old?.spec)),
    ...(yield* validateVariables(spec, new Set())),
  ];
  if (mutations.length === 0) {
    errors.push(required(path.child("mutations"), "mutations must contain at least one item"));
  }
  const expressions = new PolicyExpressions({ paramKind, variables, patches: true });
  const before = new Set(
    (old?.spec?.mutations ?? []).map((mutation) => mutation.applyConfiguration?.expression ?? ""),
  );
  for (const [index, mutation] of mutations.entries()) {
    const at = path.child("mutations").index(index);
    append(errors, yield* validateMutation(mutation, at, expressions, before));
  }
  const at = path.child("reinvocationPolicy");
  if (reinvocationPolicy === "") errors.push(required(at));
  else if (!reinvocationPolicies.includes(reinvocationPolicy)) {
    errors.push(unsupported(at, reinvocationPolicy, reinvocationPolicies));
  }
  return errors;
}

/** Errors of the operations come before those of the conditions. */
function* validateStart(
  spec: MutatingAdmissionPolicySpec,
  old: MutatingAdmissionPolicySpec | undefined,
): Steps<FieldError[]> {
  const { matchConditions, ...rest } = spec;
  const { matchConstraints } = spec;
  return [
    ...(yield* validatePolicyStart(rest, undefined)),
    ...(matchConstraints
      ? validateMutatingOperations(matchConstraints, path.child("matchConstraints"))
      : []),
    ...(yield* validateOldConditions(spec, old)),
  ];
}

function* validateMutation(
  mutation: Mutation,
  at: FieldPath,
  expressions: PolicyExpressions,
  old: ReadonlySet<string>,
): Steps<FieldError[]> {
  const { patchType = "" } = mutation;
  if (patchType === "") return [required(at.child("patchType"))];
  const form = forms[patchType];
  if (!form) return [unsupported(at.child("patchType"), patchType, patchTypes)];
  const { field, type } = form;
  const errors: FieldError[] = [];
  const given = mutation[field];
  if (!given) {
    errors.push(required(at.child(field), `must be specified when patchType is ${patchType}`));
  } else {
    const { expression = "" } = given;
    const place = { path: at.child(field).child("expression"), types: [type] };
    const trimmed = expression.trim();
    if (trimmed === "") errors.push(required(place.path));
    else {
      const isOld = old.has(expression);
      append(errors, yield* expressions.check(trimmed, { ...place, isOld }));
    }
  }
  const other = field === "jsonPatch" ? "applyConfiguration" : "jsonPatch";
  if (!mutation[other]) return errors;
  const detail = `must not be specified when patchType is ${patchType}`;
  return [...errors, invalid(at.child(other), `{${other}}`, detail)];
}
