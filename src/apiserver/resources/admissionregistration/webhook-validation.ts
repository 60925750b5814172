import type { MutatingWebhook, ValidatingWebhook } from "#/api/admissionregistration/v1.ts";
import { duplicate, type FieldError, invalid, required } from "#/machinery/meta/field-error.ts";
import { type FieldPath, fieldPath } from "#/machinery/meta/field-path.ts";
import { hasInvalidLabelValue, validateLabelSelector } from "#/machinery/meta/label-selector.ts";
import { isDNS1035Label, isDNS1123Subdomain } from "#/machinery/meta/names.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { append } from "#/std/base/append.ts";
import type { Steps } from "#/std/base/steps.ts";
import { validateWebhookService, validateWebhookUrl } from "../rules/webhook-client.ts";
import { validateMatchConditions } from "./match-condition-validation.ts";
import { matchPolicies, unsupported, validateRule } from "./rule-validation.ts";

/** Upstream: pkg/apis/admissionregistration/validation/validation.go. */

export type AnyWebhook = ValidatingWebhook & Pick<MutatingWebhook, "reinvocationPolicy">;

/** Whether a failed call rejects the request or is ignored. */
export const failurePolicies = ["Fail", "Ignore"];
/** Whether a webhook or policy is called again after later changes of the object. */
export const reinvocationPolicies = ["IfNeeded", "Never"];

const sideEffectClasses = ["None", "NoneOnDryRun", "Some", "Unknown"];
const noSideEffects = ["None", "NoneOnDryRun"];
const reviewVersions = ["v1", "v1beta1"];
const maxTimeoutSeconds = 30;
const minNameParts = 3;

/** Rules that are relaxed on an update, because the old object breaks them. */
interface Leniency {
  readonly sideEffects: readonly string[];
  readonly knownVersions: boolean;
  readonly uniqueNames: boolean;
  readonly allowInvalidValues: boolean;
  readonly sameConditions: boolean;
  readonly oldExpressions: ReadonlySet<string>;
}

/** Validation errors of the webhooks of a configuration. */
export function* validateWebhooks(
  webhooks: readonly AnyWebhook[],
  old?: readonly AnyWebhook[],
): Steps<FieldError[]> {
  const leniency = leniencyFor(webhooks, old);
  const names = new Set<string>();
  const errors: FieldError[] = [];
  for (const [index, webhook] of webhooks.entries()) {
    const path = fieldPath("webhooks").index(index);
    const { name, admissionReviewVersions = [] } = webhook;
    append(errors, yield* validateWebhook(webhook, path, leniency));
    append(
      errors,
      validateReviewVersions(
        admissionReviewVersions,
        path.child("admissionReviewVersions"),
        leniency.knownVersions,
      ),
    );
    yield;
    if (!leniency.uniqueNames || !name) continue;
    if (names.has(name)) errors.push(duplicate(path.child("name"), name));
    names.add(name);
  }
  return errors;
}

function leniencyFor(
  webhooks: readonly AnyWebhook[],
  old: readonly AnyWebhook[] | undefined,
): Leniency {
  const before = old ?? [];
  const names = before.map(({ name }) => name);
  const harmless = before.every(({ sideEffects }) => noSideEffects.includes(sideEffects ?? ""));
  const conditions = (list: readonly AnyWebhook[]) =>
    list.map(({ matchConditions = [] }) => matchConditions);
  return {
    sideEffects: harmless ? noSideEffects : sideEffectClasses,
    knownVersions: before.every(
      ({ admissionReviewVersions: versions = [] }) =>
        versions.length === 0 || versions.some((version) => reviewVersions.includes(version)),
    ),
    uniqueNames: new Set(names).size === names.length,
    allowInvalidValues: before.some(
      ({ namespaceSelector, objectSelector }) =>
        hasInvalidLabelValue(namespaceSelector) || hasInvalidLabelValue(objectSelector),
    ),
    sameConditions: old !== undefined && deepEqual(conditions(webhooks), conditions(before)),
    oldExpressions: new Set(
      before.flatMap(({ matchConditions = [] }) =>
        matchConditions.map(({ expression }) => expression),
      ),
    ),
  };
}

function* validateWebhook(
  webhook: AnyWebhook,
  path: FieldPath,
  leniency: Leniency,
): Steps<FieldError[]> {
  const { allowInvalidValues, sideEffects, sameConditions, oldExpressions } = leniency;
  const errors = validateWebhookName(webhook.name ?? "", path.child("name"));
  (webhook.rules ?? []).forEach((rule, index) => {
    append(errors, validateRule(rule, path.child("rules").index(index)));
  });
  errors.push(
    ...validateChoice(webhook.failurePolicy, failurePolicies, path.child("failurePolicy")),
    ...validateChoice(webhook.matchPolicy, matchPolicies, path.child("matchPolicy")),
    ...validateSideEffects(webhook.sideEffects, sideEffects, path.child("sideEffects")),
  );
  const { timeoutSeconds: seconds, namespaceSelector, objectSelector } = webhook;
  if (seconds !== undefined && (seconds < 1 || seconds > maxTimeoutSeconds)) {
    const detail = `the timeout value must be between 1 and ${maxTimeoutSeconds} seconds`;
    errors.push(invalid(path.child("timeoutSeconds"), seconds, detail));
  }
  for (const [field, selector] of Object.entries({ namespaceSelector, objectSelector })) {
    if (!selector) continue;
    append(errors, validateLabelSelector(selector, path.child(field), { allowInvalidValues }));
  }
  const { reinvocationPolicy } = webhook;
  errors.push(
    ...validateChoice(reinvocationPolicy, reinvocationPolicies, path.child("reinvocationPolicy")),
    ...validateClientConfig(webhook.clientConfig ?? {}, path.child("clientConfig")),
  );
  if (sameConditions) return errors;
  const at = path.child("matchConditions");
  const conditions = webhook.matchConditions;
  return errors.concat(yield* validateMatchConditions(conditions, at, { old: oldExpressions }));
}

function validateWebhookName(name: string, path: FieldPath): FieldError[] {
  if (name === "") return [required(path)];
  const problems = isDNS1123Subdomain(name);
  if (problems.length > 0) return [invalid(path, name, problems.join(","))];
  if (name.split(".").length >= minNameParts) return [];
  const detail = "should be a domain with at least three segments separated by dots";
  return [invalid(path, name, detail)];
}

function validateChoice(
  value: string | undefined,
  allowed: readonly string[],
  path: FieldPath,
): FieldError[] {
  return value === undefined || allowed.includes(value) ? [] : [unsupported(path, value, allowed)];
}

function validateSideEffects(
  value: string | undefined,
  allowed: readonly string[],
  path: FieldPath,
): FieldError[] {
  if (value === undefined) return [required(path, `must specify one of ${allowed.join(", ")}`)];
  return validateChoice(value, allowed, path);
}

/** Upstream swaps the service's name and namespace here, so its messages do too. */
function validateClientConfig(
  { url, service }: Partial<AnyWebhook["clientConfig"]>,
  path: FieldPath,
): FieldError[] {
  if ((url === undefined) === (service === undefined)) {
    return [required(path, "exactly one of url or service is required")];
  }
  if (url !== undefined) return validateWebhookUrl(url, path.child("url"));
  const { name = "", namespace = "", ...rest } = service ?? {};
  const swapped = { ...rest, name: namespace, namespace: name };
  return validateWebhookService(swapped, path.child("service"));
}

function validateReviewVersions(
  versions: readonly string[],
  path: FieldPath,
  knownVersions: boolean,
): FieldError[] {
  const accepted = reviewVersions.join(", ");
  if (versions.length === 0) return [required(path, `must specify one of ${accepted}`)];
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  versions.forEach((version, index) => {
    const at = path.index(index);
    if (seen.has(version)) {
      errors.push(invalid(at, version, "duplicate version"));
      return;
    }
    seen.add(version);
    for (const problem of isDNS1035Label(version)) errors.push(invalid(at, version, problem));
  });
  if (knownVersions && !reviewVersions.some((version) => seen.has(version))) {
    errors.push(invalid(path, versions, `must include at least one of ${accepted}`));
  }
  return errors;
}
