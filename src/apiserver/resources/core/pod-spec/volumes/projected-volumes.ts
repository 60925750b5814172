import type {
  ConfigMapVolumeSource,
  DownwardAPIVolumeFile,
  DownwardAPIVolumeSource,
  KeyToPath,
  ProjectedVolumeSource,
  SecretVolumeSource,
  ServiceAccountTokenProjection,
  VolumeProjection,
} from "#/api/core/v1.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import type { FieldReport } from "../../../rules/field-report.ts";
import type { PodValidationOptions } from "../base/pod-gates.ts";
import { validateFieldSelector, validateResourceSelector } from "./downward-api.ts";
import { validateLocalPath } from "./local-path.ts";
import { validateClusterTrustBundle, validatePodCertificate } from "./projected-certificates.ts";
import { type ClaimPath, validateUser } from "./validate-user.ts";

/**
 * Volumes with files from API objects.
 *
 * Upstream: pkg/apis/core/validation/validation.go.
 */

/** Fields of a Pod that a file may contain, in the order of messages. */
const fileFields: readonly string[] = [
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
];

function validateMode(
  report: FieldReport,
  path: FieldPath,
  field: string,
  mode: number | undefined,
): void {
  if (mode === undefined || (mode >= 0 && mode <= 0o777)) return;
  const detail = "must be a number between 0 and 0777 (octal), both inclusive";
  report.invalid(path, field, mode, detail);
}

interface FileDefaults {
  readonly defaultMode?: number;
  readonly defaultUser?: number;
}

function validateFileDefaults(report: FieldReport, path: FieldPath, source: FileDefaults): void {
  validateMode(report, path, "defaultMode", source.defaultMode);
  validateUser(report, path, "defaultUser", source.defaultUser);
}

function validateKeyToPath(report: FieldReport, path: FieldPath, item: KeyToPath): void {
  if (!item.key) report.required(path, "key");
  if (!item.path) report.required(path, "path");
  validateLocalPath(report, path, "path", item.path);
  validateMode(report, path, "mode", item.mode);
  validateUser(report, path, "user", item.user);
}

function validateItems(
  report: FieldReport,
  path: FieldPath,
  items: readonly KeyToPath[] | undefined,
): void {
  items?.forEach((item, index) => {
    validateKeyToPath(report, path.child("items").index(index), item);
  });
}

export function validateSecretVolume(
  source: SecretVolumeSource,
  path: FieldPath,
  report: FieldReport,
): void {
  if (!source.secretName) report.required(path, "secretName");
  validateFileDefaults(report, path, source);
  validateItems(report, path, source.items);
}

export function validateConfigMapVolume(
  source: ConfigMapVolumeSource,
  path: FieldPath,
  report: FieldReport,
): void {
  if (!source.name) report.required(path, "name");
  validateFileDefaults(report, path, source);
  validateItems(report, path, source.items);
}

export function validateDownwardAPIVolume(
  source: DownwardAPIVolumeSource,
  path: FieldPath,
  report: FieldReport,
): void {
  validateFileDefaults(report, path, source);
  for (const file of source.items ?? []) validateDownwardAPIFile(report, path, file);
}

function validateDownwardAPIFile(
  report: FieldReport,
  path: FieldPath,
  { path: file, fieldRef, resourceFieldRef, mode, user }: DownwardAPIVolumeFile,
): void {
  if (!file) report.required(path, "path");
  validateLocalPath(report, path, "path", file);
  if (fieldRef) {
    validateFieldSelector(report, path.child("fieldRef"), fieldRef, fileFields);
    if (resourceFieldRef) {
      const detail = "fieldRef and resourceFieldRef can not be specified simultaneously";
      report.invalid(path, "", "resource", detail);
    }
  } else if (resourceFieldRef) {
    const at = path.child("resourceFieldRef");
    validateResourceSelector(report, at, resourceFieldRef, { inVolume: true });
  } else report.required(path, "", "one of fieldRef and resourceFieldRef is required");
  validateMode(report, path, "mode", mode);
  validateUser(report, path, "user", user);
}

export function validateProjectedVolume(
  source: ProjectedVolumeSource,
  path: FieldPath,
  report: FieldReport,
  options: PodValidationOptions,
): void {
  validateFileDefaults(report, path, source);
  const files = new Set<string>();
  const claimPath: ClaimPath = (file, shown = file) => {
    if (files.has(file)) report.invalid(path, "", shown, "conflicting duplicate paths");
    files.add(file);
  };
  source.sources?.forEach((projection, index) => {
    const at = path.child("sources").index(index);
    validateKeyedSources(report, at, projection, claimPath);
    if (projection.serviceAccountToken) {
      const token = { ...projection.serviceAccountToken, volumePath: path };
      validateToken(report, at.child("serviceAccountToken"), token, options);
    }
    if (projection.clusterTrustBundle) {
      const place = at.child("clusterTrustBundle");
      validateClusterTrustBundle(report, place, projection.clusterTrustBundle, claimPath);
    }
    if (projection.podCertificate) {
      const place = at.child("podCertificate");
      validatePodCertificate(report, place, projection.podCertificate, claimPath);
    }
    if (Object.values(projection).filter((one) => one !== undefined).length > 1) {
      report.forbidden(at, "", "may not specify more than 1 volume type per source");
    }
  });
}

function validateKeyedSources(
  report: FieldReport,
  path: FieldPath,
  { secret, configMap, downwardAPI }: VolumeProjection,
  claimPath: ClaimPath,
): void {
  for (const [field, source] of [
    ["secret", secret],
    ["configMap", configMap],
  ] as const) {
    if (source === undefined) continue;
    const at = path.child(field);
    if (!source.name) report.required(at, "name");
    source.items?.forEach((item, index) => {
      validateKeyToPath(report, at.child("items").index(index), item);
      if (item.path) claimPath(item.path, source.name ?? "");
    });
  }
  for (const file of downwardAPI?.items ?? []) {
    validateDownwardAPIFile(report, path.child("downwardAPI"), file);
    if (file.path) claimPath(file.path);
  }
}

const minTokenSeconds = 10 * 60;
const maxTokenSeconds = 2 ** 32;

/** Errors of a token's path are reported at the volume, whatever the index of its source. */
function validateToken(
  report: FieldReport,
  path: FieldPath,
  token: ServiceAccountTokenProjection & { volumePath: FieldPath },
  options: PodValidationOptions,
): void {
  const { expirationSeconds: seconds, path: file, user, volumePath } = token;
  if (seconds === undefined) report.required(path, "expirationSeconds");
  else if (seconds < minTokenSeconds) {
    const detail = "may not specify a duration less than 10 minutes";
    report.invalid(path, "expirationSeconds", seconds, detail);
  } else if (seconds > maxTokenSeconds) {
    const detail = "may not specify a duration larger than 2^32 seconds";
    report.invalid(path, "expirationSeconds", seconds, detail);
  }
  if (!file) report.required(volumePath, "path");
  else if (!options.allowNonLocalTokenPath) validateLocalPath(report, volumePath, "path", file);
  validateUser(report, path, "user", user);
}
