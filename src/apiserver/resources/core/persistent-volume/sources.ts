import type {
  AzureFilePersistentVolumeSource,
  CinderPersistentVolumeSource,
  CSIPersistentVolumeSource,
  GlusterfsPersistentVolumeSource,
  ISCSIPersistentVolumeSource,
  LocalVolumeSource,
  PersistentVolumeSource,
  PersistentVolumeSpec,
  SecretReference,
  StorageOSPersistentVolumeSource,
} from "#/api/core/v1.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import {
  isDNS1123Label,
  isDNS1123Subdomain,
  isLongerThan,
  nameIsDNSLabel,
  rangeMessage,
} from "#/machinery/meta/names.ts";
import { table } from "#/std/base/table.ts";
import type { FieldReport } from "../../rules/field-report.ts";
import { validateNoBacksteps } from "../pod-spec/volumes/local-path.ts";
import {
  iscsiNameProblem,
  requireFields,
  validateAWSElasticBlockStore,
  validateAzureDisk,
  validateCephFS,
  validateCSIDriverName,
  validateFC,
  validateFlexVolume,
  validateFlocker,
  validateGCEPersistentDisk,
  validateNFS,
  validatePhotonPersistentDisk,
  validatePortworxVolume,
  validateQuobyte,
  validateRBD,
  validateScaleIO,
  validateVsphereVolume,
} from "../pod-spec/volumes/remote-volumes.ts";
import { validateHostPath } from "../pod-spec/volumes/volume-sources.ts";

/**
 * The data source of a persistent volume: exactly one source, with the rules of each.
 *
 * Upstream: pkg/apis/core/validation/validation.go (ValidatePersistentVolumeSpec).
 */

type Rule<T> = (source: T, path: FieldPath, report: FieldReport, volumeName: string) => void;
type Rules = {
  readonly [K in keyof PersistentVolumeSource]-?: Rule<PersistentVolumeSource[K] & {}>;
};

/** In upstream's order. */
const rules: Rules = {
  hostPath: validateHostPath,
  gcePersistentDisk: validateGCEPersistentDisk,
  awsElasticBlockStore: validateAWSElasticBlockStore,
  glusterfs: validateGlusterfs,
  flocker: validateFlocker,
  nfs: validateNFS,
  rbd: (source, path, report) =>
    validateRBD(source as Parameters<typeof validateRBD>[0], path, report),
  quobyte: validateQuobyte,
  cephfs: (source, path, report) =>
    validateCephFS(source as Parameters<typeof validateCephFS>[0], path, report),
  iscsi: validateISCSI,
  cinder: validateCinder,
  fc: validateFC,
  flexVolume: validateFlexVolume,
  azureFile: validateAzureFile,
  vsphereVolume: validateVsphereVolume,
  photonPersistentDisk: validatePhotonPersistentDisk,
  portworxVolume: validatePortworxVolume,
  azureDisk: validateAzureDisk,
  scaleIO: (source, path, report) =>
    validateScaleIO(source as Parameters<typeof validateScaleIO>[0], path, report),
  local: validateLocal,
  storageos: validateStorageOS,
  csi: validateCSI,
};

/** Field names that are wrong in upstream's paths: in the check of a source, and in the error for a second source. */
const checkedNames: Readonly<Record<string, string>> = table({
  gcePersistentDisk: "persistentDisk",
});
const surplusNames: Readonly<Record<string, string>> = table({ cephfs: "cephFS" });

/** Reports errors of a volume's source. */
export function validateSource(
  spec: PersistentVolumeSpec,
  volumeName: string,
  path: FieldPath,
  report: FieldReport,
): void {
  let found = false;
  for (const name of Object.keys(rules) as (keyof Rules)[]) {
    const source = spec[name];
    if (!source) continue;
    if (found && name !== "flexVolume") {
      report.forbidden(path, surplusNames[name] ?? name, "may not specify more than 1 volume type");
      continue;
    }
    found = true;
    const at = path.child(checkedNames[name] ?? name);
    (rules[name] as Rule<unknown>)(source, at, report, volumeName);
    if (name === "local" && !spec.nodeAffinity) {
      report.required(path, "nodeAffinity", "Local volume requires node affinity");
    }
  }
  if (!found) report.required(path, "", "must specify a volume type");
}

function validateGlusterfs(
  source: GlusterfsPersistentVolumeSource,
  path: FieldPath,
  report: FieldReport,
): void {
  requireFields(report, path, source, ["endpoints", "path"]);
  const { endpointsNamespace: namespace } = source;
  if (namespace === undefined) return;
  const problems =
    namespace === ""
      ? ["if the endpointnamespace is set, it must be a valid namespace name"]
      : nameIsDNSLabel(namespace, false);
  report.problems(path, "endpointsNamespace", namespace, problems);
}

function validateISCSI(
  source: ISCSIPersistentVolumeSource,
  path: FieldPath,
  report: FieldReport,
  volumeName: string,
): void {
  const { targetPortal, iqn, lun, initiatorName, secretRef } = source;
  if (!targetPortal) report.required(path, "targetPortal");
  if (initiatorName !== undefined && isLongerThan(`${volumeName}:${targetPortal}`, 64)) {
    const detail =
      "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.";
    report.invalid(path, "targetportal", targetPortal, detail);
  }
  if (!iqn) report.required(path, "iqn");
  const iqnProblem = iqn ? iscsiNameProblem(iqn, "must be valid format") : undefined;
  if (iqnProblem !== undefined) report.invalid(path, "iqn", iqn, iqnProblem);
  if (lun < 0 || lun > 255) report.invalid(path, "lun", lun, rangeMessage(0, 255));
  if ((source.chapAuthDiscovery || source.chapAuthSession) && !secretRef) {
    report.required(path, "secretRef");
  }
  if (secretRef && !secretRef.name) report.required(path.child("secretRef"), "name");
  if (initiatorName === undefined) return;
  const problem = iscsiNameProblem(initiatorName, "must be valid format");
  if (problem !== undefined) report.invalid(path, "initiatorname", initiatorName, problem);
}

function validateCinder(
  source: CinderPersistentVolumeSource,
  path: FieldPath,
  report: FieldReport,
): void {
  requireFields(report, path, source, ["volumeID"]);
  if (source.secretRef) {
    requireFields(report, path.child("secretRef"), source.secretRef, ["name", "namespace"]);
  }
}

function validateAzureFile(
  source: AzureFilePersistentVolumeSource,
  path: FieldPath,
  report: FieldReport,
): void {
  requireFields(report, path, source, ["secretName", "shareName"]);
  if (source.secretNamespace === "") report.required(path, "secretNamespace");
}

function validateLocal(
  { path: file }: LocalVolumeSource,
  path: FieldPath,
  report: FieldReport,
): void {
  if (!file) report.required(path, "path");
  else validateNoBacksteps(report, path, "path", file);
}

function validateStorageOS(
  { volumeName, volumeNamespace, secretRef }: StorageOSPersistentVolumeSource,
  path: FieldPath,
  report: FieldReport,
): void {
  if (!volumeName) report.required(path, "volumeName");
  else report.problems(path, "volumeName", volumeName, isDNS1123Label(volumeName));
  if (volumeNamespace) {
    report.problems(path, "volumeNamespace", volumeNamespace, isDNS1123Label(volumeNamespace));
  }
  if (secretRef) {
    requireFields(report, path.child("secretRef"), secretRef, ["name", "namespace"]);
  }
}

const csiSecrets = [
  "controllerPublishSecretRef",
  "controllerExpandSecretRef",
  "nodePublishSecretRef",
  "nodeExpandSecretRef",
] as const;

function validateCSI(
  source: CSIPersistentVolumeSource,
  path: FieldPath,
  report: FieldReport,
): void {
  validateCSIDriverName(report, path, "driver", source.driver);
  if (!source.volumeHandle) report.required(path, "volumeHandle");
  for (const field of csiSecrets) {
    const secret = source[field];
    if (secret) validateSecretReference(secret, path.child(field), report);
  }
}

function validateSecretReference(
  { name, namespace }: SecretReference,
  path: FieldPath,
  report: FieldReport,
): void {
  if (!name) report.required(path, "name");
  else report.problems(path, "name", name, isDNS1123Subdomain(name));
  if (!namespace) report.required(path, "namespace");
  else report.problems(path, "namespace", namespace, isDNS1123Label(namespace));
}
