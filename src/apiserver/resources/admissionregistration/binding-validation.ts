import type { MatchResources, ParamRef } from "#/api/admissionregistration/v1.ts";
import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  JsonValue,
  required,
} from "#/machinery/meta/field-error.ts";
import { type FieldPath, fieldPath } from "#/machinery/meta/field-path.ts";
import { validateLabelSelector } from "#/machinery/meta/label-selector.ts";
import { isDNS1123Subdomain, isPathSegmentName } from "#/machinery/meta/names.ts";
import { append } from "#/std/base/append.ts";
import { unsupported, validateMatchResources } from "./rule-validation.ts";

/** The fields that bindings of both kinds have. */
interface BindingSpec {
  readonly policyName?: string;
  readonly paramRef?: ParamRef;
  readonly matchResources?: MatchResources;
}

const actions = ["Audit", "Deny", "Warn"];
const notFoundActions = ["Deny", "Allow"];
const exclusive = "name and selector are mutually exclusive";
const path = fieldPath("spec");

/** Validation errors of a binding. Upstream: pkg/apis/admissionregistration/validation/validation.go. */
export function validateBinding({
  policyName,
  paramRef,
  matchResources,
}: BindingSpec): FieldError[] {
  const at = path.child("policyName");
  const errors = policyName
    ? isDNS1123Subdomain(policyName).map((problem) => invalid(at, policyName, problem))
    : [required(at)];
  if (paramRef) append(errors, validateParamRef(paramRef, path.child("paramRef")));
  if (matchResources) {
    append(errors, validateMatchResources(matchResources, path.child("matchResources")));
  }
  return errors;
}

function validateParamRef(
  { name = "", selector, parameterNotFoundAction: action = "" }: ParamRef,
  at: FieldPath,
): FieldError[] {
  const errors = (name === "" ? [] : isPathSegmentName(name)).map((problem) =>
    invalid(at.child("name"), name, problem),
  );
  if (name !== "" && selector) errors.push(forbidden(at.child("name"), exclusive));
  if (selector) {
    append(errors, validateLabelSelector(selector, at.child("selector")));
    if (name !== "") errors.push(forbidden(at.child("selector"), exclusive));
  }
  if (name === "" && !selector) {
    errors.push(required(at, "one of name or selector must be specified"));
  }
  const actionPath = at.child("parameterNotFoundAction");
  if (action === "") errors.push(required(actionPath));
  else if (!notFoundActions.includes(action)) {
    errors.push(unsupported(actionPath, action, notFoundActions));
  }
  return errors;
}

/** Validation errors of the actions that a binding takes on violations. */
export function validateActions(given: readonly string[]): FieldError[] {
  const at = path.child("validationActions");
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  given.forEach((action, index) => {
    if (!actions.includes(action)) errors.push(unsupported(at.index(index), action, actions));
    if (seen.has(action)) errors.push(duplicate(at.index(index), new JsonValue(action)));
    seen.add(action);
  });
  if (seen.has("Deny") && seen.has("Warn")) {
    const detail =
      "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)";
    errors.push(invalid(at, given, detail));
  }
  if (seen.size === 0) errors.push(required(at));
  return errors;
}
