import type { ClusterTrustBundleProjection, PodCertificateProjection } from "#/api/core/v1.ts";
import type { LabelSelector } from "#/api/meta/v1.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { validateLabelSelector } from "#/machinery/meta/label-selector.ts";
import {
  isDNS1123Label,
  isDNS1123Subdomain,
  isLongerThan,
  nameIsDNSSubdomain,
  type Problems,
} from "#/machinery/meta/names.ts";
import { validateDomainPrefixedKey } from "#/machinery/meta/text-rules.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import type { FieldReport } from "../../../rules/field-report.ts";
import { coreInternalForm } from "../../../rules/internal-form.ts";
import { validateLocalPath } from "./local-path.ts";
import { type ClaimPath, validateUser } from "./validate-user.ts";

/**
 * Files of projected volumes that contain trust anchors or the Pod's certificate.
 *
 * Upstream: pkg/apis/core/validation/validation.go, names.go.
 */

export function validateClusterTrustBundle(
  report: FieldReport,
  path: FieldPath,
  bundle: ClusterTrustBundleProjection,
  claimPath: ClaimPath,
): void {
  const { name, signerName, labelSelector, path: file, user } = bundle;
  if (name !== undefined && signerName !== undefined) {
    const shown = coreInternalForm("ClusterTrustBundleProjection", bundle);
    report.invalid(path, "", shown, "only one of name and signerName may be used");
  } else if (name !== undefined) {
    validateBundleName(report, path, name, labelSelector);
  } else if (signerName !== undefined) {
    if (signerName === "") report.required(path, "signerName", "must be a valid signer name");
    validateSignerName(report, path, "signerName", signerName);
    report.add(validateLabelSelector(labelSelector, path.child("labelSelector")));
  } else report.required(path, "", "either name or signerName must be specified");
  if (!file) report.required(path, "path");
  validateUser(report, path, "user", user);
  validateLocalPath(report, path, "path", file);
  claimPath(file);
}

function validateBundleName(
  report: FieldReport,
  path: FieldPath,
  name: string,
  labelSelector: LabelSelector | undefined,
): void {
  if (name === "") report.required(path, "name", "must be a valid object name");
  const colon = name.lastIndexOf(":");
  const signer = colon < 0 ? "" : name.slice(0, colon).replaceAll(":", "/");
  for (const problem of bundleNameProblems(name, signer)) {
    report.invalid(path, "name", name, `not a valid clustertrustbundlename: ${problem}`);
  }
  if (labelSelector === undefined) return;
  const detail = "labelSelector must be unset if name is specified";
  report.invalid(path, "labelSelector", labelSelector, detail);
}

/** Problems of the name of a ClusterTrustBundle of a signer ("" if it has none). */
export function bundleNameProblems(name: string, signerName: string): Problems {
  if (signerName === "") {
    if (!name.includes(":")) return nameIsDNSSubdomain(name, false);
    return ['ClusterTrustBundle without signer name must not have ":" in its name'];
  }
  const prefix = `${signerName.replaceAll("/", ":")}:`;
  if (name.startsWith(prefix)) return nameIsDNSSubdomain(name.slice(prefix.length), false);
  return [`ClusterTrustBundle for signerName ${signerName} must be named with prefix ${prefix}`];
}

const maxDomainBytes = 253;
/** A domain, a slash, and namespace and name separated by a dot. */
const maxSignerBytes = maxDomainBytes + 1 + 253 + 63 + 1;

/** Checks the name of a signer: a domain, a slash and a path. */
export function validateSignerName(
  report: FieldReport,
  path: FieldPath,
  field: string,
  signerName: string,
): void {
  if (signerName === "") {
    report.required(path, field);
    return;
  }
  const [domain = "", name, more] = signerName.split("/", 3);
  if (name === undefined || more !== undefined) {
    const detail =
      "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    report.invalid(path, field, signerName, detail);
    return;
  }
  if (isLongerThan(domain, maxDomainBytes)) report.tooLong(path, field, maxDomainBytes);
  validateLabels(report, path, field, domain, isDNS1123Label);
  if (!domain.includes(".")) {
    const detail = "should be a domain with at least two segments separated by dots";
    report.invalid(path, field, domain, detail);
  }
  validateLabels(report, path, field, name, isDNS1123Subdomain);
  if (isLongerThan(signerName, maxSignerBytes)) report.tooLong(path, field, maxSignerBytes);
}

/** Reports the first invalid label of a dotted name. */
function validateLabels(
  report: FieldReport,
  path: FieldPath,
  field: string,
  text: string,
  rule: (label: string) => Problems,
): void {
  const wrong = text.split(".").find((label) => rule(label).length > 0);
  if (wrong === undefined) return;
  for (const problem of rule(wrong)) {
    report.invalid(path, field, text, `validating label ${goQuote(wrong)}: ${problem}`);
  }
}

const keyTypes = ["RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"];
const hourSeconds = 3600;
const daySeconds = 24 * hourSeconds;
const maxAnnotationsBytes = 256 * 1024;

export function validatePodCertificate(
  report: FieldReport,
  path: FieldPath,
  certificate: PodCertificateProjection,
  claimPath: ClaimPath,
): void {
  const {
    signerName = "",
    keyType = "",
    maxExpirationSeconds,
    userAnnotations,
    user,
  } = certificate;
  validateSignerName(report, path, "signerName", signerName);
  validateUserAnnotations(report, path.child("userAnnotations"), userAnnotations);
  validateUser(report, path, "user", user);
  if (!keyTypes.includes(keyType)) report.notSupportedText(path, "keyType", keyType, keyTypes);
  if (maxExpirationSeconds !== undefined) {
    validateExpiration(report, path, maxExpirationSeconds, signerName);
  }
  const fields = ["credentialBundlePath", "keyPath", "certificateChainPath"] as const;
  for (const field of fields) {
    const file = certificate[field];
    if (!file) continue;
    validateLocalPath(report, path, field, file);
    claimPath(file);
  }
  if (fields.some((field) => certificate[field])) return;
  const detail = "specify at least one of credentialBundlePath, keyPath, and certificateChainPath";
  report.required(path, "", detail);
}

function validateExpiration(
  report: FieldReport,
  path: FieldPath,
  seconds: number,
  signerName: string,
): void {
  const max = isKubernetesSigner(signerName) ? daySeconds : 91 * daySeconds;
  if (seconds < hourSeconds) {
    const detail = "if provided, maxExpirationSeconds must be >= 3600";
    report.invalid(path, "maxExpirationSeconds", seconds, detail);
  }
  if (seconds > max) {
    const detail = `if provided, maxExpirationSeconds must be <= ${max}`;
    report.invalid(path, "maxExpirationSeconds", seconds, detail);
  }
}

/** Whether a signer name is reserved for the Kubernetes project. */
export const isKubernetesSigner = (signerName: string): boolean =>
  /^([^/]*\.)?kubernetes\.io(\/|$)/.test(signerName);

/** Checks the keys and the size of the annotations that a Pod sends to its signer. */
export function validateUserAnnotations(
  report: FieldReport,
  path: FieldPath,
  annotations: Readonly<Record<string, string>> | undefined,
): void {
  let bytes = 0;
  for (const key in annotations) {
    report.add(validateDomainPrefixedKey(path, key.toLowerCase()));
    bytes += Buffer.byteLength(key) + Buffer.byteLength(annotations[key] ?? "");
  }
  if (bytes > maxAnnotationsBytes) report.tooLong(path, "", maxAnnotationsBytes);
}
