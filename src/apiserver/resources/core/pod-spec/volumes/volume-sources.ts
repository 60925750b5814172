import type { VolumeSource } from "#/api/core/v1.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { parseQuantity } from "#/machinery/values/quantity.ts";
import type { FieldReport } from "../../../rules/field-report.ts";
import type { PodValidationOptions } from "../base/pod-gates.ts";
import { validatePullPolicy } from "../base/validate-pull-policy.ts";
import { validateClaimTemplate } from "./claim-template.ts";
import { validateNoBacksteps } from "./local-path.ts";
import * as projection from "./projected-volumes.ts";
import * as remote from "./remote-volumes.ts";

/**
 * Every volume source with its rules, in the order of the checks.
 *
 * Upstream: pkg/apis/core/validation/validation.go.
 */

type Validate<T> = (
  source: T,
  path: FieldPath,
  report: FieldReport,
  options: PodValidationOptions,
) => void;

interface SourceRule<K extends keyof VolumeSource> {
  readonly field: K;
  /** The name in paths of its errors, if it is not the field's. */
  readonly at?: string;
  /** The name in the path of the error for a second source, if it is not the field's. */
  readonly surplusName?: string;
  readonly validate: Validate<Required<VolumeSource>[K]>;
}

/** The rules for one of the sources. */
export type AnySourceRule = { [K in keyof VolumeSource]-?: SourceRule<K> }[keyof VolumeSource];

type EmptyDir = Required<VolumeSource>["emptyDir"];
type HostPath = Required<VolumeSource>["hostPath"];

function validateEmptyDir(
  { sizeLimit, mode }: EmptyDir,
  path: FieldPath,
  report: FieldReport,
): void {
  if (sizeLimit !== undefined && parseQuantity(sizeLimit).sign < 0) {
    report.forbidden(path, "sizeLimit", "SizeLimit field must be a valid resource quantity");
  }
  if (mode !== undefined && (mode < 0 || mode > 0o1777)) {
    const detail = "must be a number between 0 and 01777 (octal), both inclusive";
    report.invalid(path, "mode", mode, detail);
  }
}

const hostPathTypes = [
  "",
  "BlockDevice",
  "CharDevice",
  "Directory",
  "DirectoryOrCreate",
  "File",
  "FileOrCreate",
  "Socket",
];

/** Checks a path on the host, for pods and persistent volumes. */
export function validateHostPath(
  { path: file, type }: HostPath,
  path: FieldPath,
  report: FieldReport,
): void {
  if (!file) {
    report.required(path, "path");
    return;
  }
  validateNoBacksteps(report, path, "path", file);
  if (type !== undefined && !hostPathTypes.includes(type)) {
    report.notSupported(path, "type", type, hostPathTypes);
  }
}

export const volumeSources: readonly AnySourceRule[] = [
  { field: "emptyDir", validate: validateEmptyDir },
  { field: "hostPath", validate: validateHostPath },
  { field: "gitRepo", validate: remote.validateGitRepo },
  {
    field: "gcePersistentDisk",
    at: "persistentDisk",
    surplusName: "gcePersistentDisk",
    validate: remote.validateGCEPersistentDisk,
  },
  { field: "awsElasticBlockStore", validate: remote.validateAWSElasticBlockStore },
  { field: "secret", validate: projection.validateSecretVolume },
  { field: "nfs", validate: remote.validateNFS },
  { field: "iscsi", validate: remote.validateISCSI },
  { field: "glusterfs", validate: remote.validateGlusterfs },
  { field: "flocker", validate: remote.validateFlocker },
  {
    field: "persistentVolumeClaim",
    validate: ({ claimName }, path, report) => {
      if (!claimName) report.required(path, "claimName");
    },
  },
  { field: "rbd", validate: remote.validateRBD },
  { field: "cinder", validate: remote.validateCinder },
  { field: "cephfs", surplusName: "cephFS", validate: remote.validateCephFS },
  { field: "quobyte", validate: remote.validateQuobyte },
  {
    field: "downwardAPI",
    surplusName: "downwarAPI",
    validate: projection.validateDownwardAPIVolume,
  },
  { field: "fc", validate: remote.validateFC },
  { field: "flexVolume", validate: remote.validateFlexVolume },
  { field: "configMap", validate: projection.validateConfigMapVolume },
  { field: "azureFile", validate: remote.validateAzureFile },
  { field: "vsphereVolume", validate: remote.validateVsphereVolume },
  { field: "photonPersistentDisk", validate: remote.validatePhotonPersistentDisk },
  { field: "portworxVolume", validate: remote.validatePortworxVolume },
  { field: "azureDisk", validate: remote.validateAzureDisk },
  { field: "storageos", validate: remote.validateStorageOS },
  { field: "projected", validate: projection.validateProjectedVolume },
  { field: "scaleIO", validate: remote.validateScaleIO },
  { field: "csi", validate: remote.validateCSI },
  {
    field: "ephemeral",
    validate: ({ volumeClaimTemplate: template }, path, report, options) => {
      if (template === undefined) report.required(path, "volumeClaimTemplate");
      else report.add(validateClaimTemplate(template, path.child("volumeClaimTemplate"), options));
    },
  },
  {
    field: "image",
    validate: ({ reference, pullPolicy }, path, report, options) => {
      if (!reference && !options.allowEmptyImageReference) report.required(path, "reference");
      validatePullPolicy(report, path, "pullPolicy", pullPolicy);
    },
  },
];
