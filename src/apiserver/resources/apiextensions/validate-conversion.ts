import type { CustomResourceConversion, WebhookClientConfig } from "#/api/apiextensions/v1.ts";
import {
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { isDNS1035Label } from "#/machinery/meta/names.ts";
import { append } from "#/std/base/append.ts";
import { repeatedIndices } from "#/std/base/by-key.ts";
import {
  caBundleProblem,
  validateWebhookService,
  validateWebhookUrl,
} from "../rules/webhook-client.ts";

/** Versions of ConversionReview that the server understands. */
const reviewVersions: readonly string[] = ["v1", "v1beta1"];

export interface ConversionRules {
  /** At least one review version must be known. */
  readonly knownReview: boolean;
  readonly anyCABundle: boolean;
}

/**
 * Validation errors of the conversion between versions.
 *
 * Upstream: staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go.
 */
export function validateConversion(
  { strategy, webhook }: CustomResourceConversion,
  path: FieldPath,
  rules: ConversionRules,
): FieldError[] {
  const clientConfig = path.child("webhookClientConfig");
  const reviews = path.child("conversionReviewVersions");
  const errors = validateStrategy(strategy, path.child("strategy"));
  if (strategy === "Webhook") {
    errors.push(
      ...(webhook?.clientConfig
        ? validateClientConfig(webhook.clientConfig, clientConfig, rules)
        : [required(clientConfig, "required when strategy is set to Webhook")]),
    );
    return [
      ...errors,
      ...validateReviewVersions(webhook?.conversionReviewVersions ?? [], reviews, rules),
    ];
  }
  const detail = "should not be set when strategy is not set to Webhook";
  if (webhook?.clientConfig) errors.push(forbidden(clientConfig, detail));
  if ((webhook?.conversionReviewVersions ?? []).length > 0) errors.push(forbidden(reviews, detail));
  return errors;
}

function validateStrategy(strategy: string | undefined, path: FieldPath): FieldError[] {
  if (!strategy) return [required(path)];
  const known = ["None", "Webhook"];
  return known.includes(strategy) ? [] : [notSupported(path, strategy, known)];
}

function validateClientConfig(
  { url, service, caBundle = "" }: WebhookClientConfig,
  path: FieldPath,
  { anyCABundle }: ConversionRules,
): FieldError[] {
  const errors: FieldError[] = [];
  if ((url === undefined) === (service === undefined)) {
    errors.push(required(path, "exactly one of url or service is required"));
  } else if (url !== undefined) {
    append(errors, validateWebhookUrl(url, path.child("url")));
  } else if (service !== undefined) {
    // Upstream swaps name and namespace here.
    const swapped = { ...service, name: service.namespace, namespace: service.name };
    append(errors, validateWebhookService(swapped, path.child("service")));
  }
  const problem = caBundle === "" || anyCABundle ? undefined : caBundleProblem(caBundle);
  if (problem !== undefined) errors.push(invalid(path.child("caBundle"), caBundle, problem));
  return errors;
}

function validateReviewVersions(
  versions: readonly string[],
  path: FieldPath,
  { knownReview }: ConversionRules,
): FieldError[] {
  if (versions.length === 0) return [required(path)];
  const errors: FieldError[] = [];
  const repeated = repeatedIndices(versions);
  versions.forEach((version, index) => {
    const at = path.index(index);
    if (repeated.has(index)) errors.push(invalid(at, version, "duplicate version"));
    else
      append(
        errors,
        isDNS1035Label(version).map((text) => invalid(at, version, text)),
      );
  });
  if (knownReview && !hasKnownReview(versions)) {
    const detail = `must include at least one of ${reviewVersions.join(", ")}`;
    errors.push(invalid(path, versions, detail));
  }
  return errors;
}

/** Whether the server supports one of the webhook's review versions. */
export function hasKnownReview(versions: readonly string[]): boolean {
  return versions.some((version) => reviewVersions.includes(version));
}
