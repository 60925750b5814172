import type {
  MatchCondition,
  MatchResources,
  ParamKind,
  Variable,
} from "#/api/admissionregistration/v1.ts";
import { type FieldError, invalid, required } from "#/machinery/meta/field-error.ts";
import { type FieldPath, fieldPath } from "#/machinery/meta/field-path.ts";
import { isDNS1035Label, isDNS1123Subdomain } from "#/machinery/meta/names.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { append } from "#/std/base/append.ts";
import type { Steps } from "#/std/base/steps.ts";
import { validateMatchConditions } from "./match-condition-validation.ts";
import { PolicyExpressions } from "./policy-expressions.ts";
import { unsupported, validateMatchResources } from "./rule-validation.ts";
import { failurePolicies } from "./webhook-validation.ts";

/** The fields that policies of both kinds have. Upstream: pkg/apis/admissionregistration/validation/validation.go. */
interface PolicySpec {
  readonly failurePolicy?: string;
  readonly paramKind?: ParamKind;
  readonly matchConstraints?: MatchResources;
  readonly matchConditions?: readonly MatchCondition[];
  readonly variables?: readonly Variable[];
}

const identifier = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
/** Reserved words of CEL. */
const reservedWords = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

const path = fieldPath("spec");

/** Validation errors of the fields that policies of both kinds have. Errors of the other fields follow them. */
export function* validatePolicyStart(
  spec: PolicySpec,
  old: PolicySpec | undefined,
): Steps<FieldError[]> {
  const { failurePolicy, paramKind, matchConstraints } = spec;
  const errors: FieldError[] = [];
  if (failurePolicy === undefined) errors.push(required(path.child("failurePolicy")));
  else if (!failurePolicies.includes(failurePolicy)) {
    errors.push(unsupported(path.child("failurePolicy"), failurePolicy, failurePolicies));
  }
  if (paramKind) append(errors, validateParamKind(paramKind, path.child("paramKind")));
  const constraints = path.child("matchConstraints");
  if (!matchConstraints) errors.push(required(constraints));
  else {
    append(errors, validateMatchResources(matchConstraints, constraints));
    if ((matchConstraints.resourceRules?.length ?? 0) === 0) {
      errors.push(required(constraints.child("resourceRules")));
    }
  }
  return errors.concat(yield* validateOldConditions(spec, old));
}

/** Conditions that an update does not change are not checked. */
export function* validateOldConditions(
  spec: PolicySpec,
  old: PolicySpec | undefined,
): Steps<FieldError[]> {
  const same =
    old &&
    deepEqual(spec.paramKind, old.paramKind) &&
    deepEqual(spec.matchConditions ?? [], old.matchConditions ?? []);
  if (same) return [];
  const { matchConditions, paramKind } = spec;
  return yield* validateMatchConditions(matchConditions, path.child("matchConditions"), {
    paramKind,
    old: new Set((old?.matchConditions ?? []).map(({ expression }) => expression)),
  });
}

/** Validation errors of a policy's variables; each variable may use those before it. */
export function* validateVariables(
  { variables = [], paramKind }: PolicySpec,
  oldExpressions: ReadonlySet<string>,
): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  const expressions = new PolicyExpressions({ paramKind, variables });
  for (const [index, { name, expression }] of variables.entries()) {
    const at = path.child("variables").index(index);
    if (name.trim() === "") errors.push(required(at.child("name"), "name is not specified"));
    else if (!identifier.test(name) || reservedWords.has(name)) {
      errors.push(invalid(at.child("name"), name, "must be a valid CEL identifier"));
    }
    if (expression.trim() === "") {
      errors.push(required(at.child("expression"), "expression is not specified"));
      continue;
    }
    const isOld = oldExpressions.has(expression);
    const place = { path: at.child("expression"), isOld };
    append(errors, yield* expressions.checkVariable(index, place));
  }
  return errors;
}

function validateParamKind({ apiVersion = "", kind = "" }: ParamKind, at: FieldPath): FieldError[] {
  const errors = validateApiVersion(apiVersion, at.child("apiVersion"));
  if (kind === "") return [...errors, required(at.child("kind"))];
  const problems = isDNS1035Label(kind.toLowerCase());
  if (problems.length === 0) return errors;
  const detail = `may have mixed case, but should otherwise match: ${problems.join(",")}`;
  return [...errors, invalid(at.child("kind"), kind, detail)];
}

function validateApiVersion(text: string, at: FieldPath): FieldError[] {
  if (text === "") return [required(at)];
  const parts = text === "/" ? ["", ""] : text.split("/");
  if (parts.length > 2) return [invalid(at, text, `unexpected GroupVersion string: ${text}`)];
  const [version = "", group = ""] = parts.reverse();
  const errors: FieldError[] = [];
  const problems = group === "" ? [] : isDNS1123Subdomain(group);
  if (problems.length > 0) errors.push(invalid(at, group, problems.join(",")));
  if (version === "") return [...errors, invalid(at, text, "version must be specified")];
  const wrong = isDNS1035Label(version);
  return wrong.length > 0 ? [...errors, invalid(at, version, wrong.join(","))] : errors;
}
