import type {
  AWSElasticBlockStoreVolumeSource,
  AzureDiskVolumeSource,
  AzureFileVolumeSource,
  CephFSVolumeSource,
  CinderVolumeSource,
  CSIVolumeSource,
  FCVolumeSource,
  FlexVolumeSource,
  FlockerVolumeSource,
  GCEPersistentDiskVolumeSource,
  GitRepoVolumeSource,
  GlusterfsVolumeSource,
  ISCSIVolumeSource,
  NFSVolumeSource,
  PhotonPersistentDiskVolumeSource,
  PortworxVolumeSource,
  QuobyteVolumeSource,
  RBDVolumeSource,
  ScaleIOVolumeSource,
  StorageOSVolumeSource,
  VsphereVirtualDiskVolumeSource,
} from "#/api/core/v1.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import {
  isDNS1123Label,
  isDNS1123Subdomain,
  isLongerThan,
  nameIsDNSSubdomain,
  rangeMessage,
} from "#/machinery/meta/names.ts";
import { compilePattern, type Pattern } from "#/machinery/structural/pattern.ts";
import { table } from "#/std/base/table.ts";
import type { FieldReport } from "../../../rules/field-report.ts";
import { validateDescendingPath } from "./local-path.ts";

/**
 * Validation of volumes with remote data in Pods; most rules also apply to PersistentVolumes.
 *
 * Upstream: pkg/apis/core/validation/validation.go.
 */

/** Reports each of these fields that is empty. */
export function requireFields<T extends object>(
  report: FieldReport,
  path: FieldPath,
  source: T,
  fields: readonly (keyof T & string)[],
): void {
  for (const field of fields) {
    const value = source[field];
    if (!value || (Array.isArray(value) && value.length === 0)) report.required(path, field);
  }
}

export function validateGitRepo(
  source: GitRepoVolumeSource,
  path: FieldPath,
  report: FieldReport,
): void {
  requireFields(report, path, source, ["repository"]);
  validateDescendingPath(report, path, "directory", source.directory ?? "");
}

function validatePartition(report: FieldReport, path: FieldPath, partition = 0): void {
  if (partition >= 0 && partition <= 255) return;
  report.invalid(path, "partition", partition, rangeMessage(1, 255));
}

export function validateGCEPersistentDisk(
  source: GCEPersistentDiskVolumeSource,
  path: FieldPath,
  report: FieldReport,
): void {
  requireFields(report, path, source, ["pdName"]);
  validatePartition(report, path, source.partition);
}

export function validateAWSElasticBlockStore(
  source: AWSElasticBlockStoreVolumeSource,
  path: FieldPath,
  report: FieldReport,
): void {
  requireFields(report, path, source, ["volumeID"]);
  validatePartition(report, path, source.partition);
}

export function validateNFS(source: NFSVolumeSource, path: FieldPath, report: FieldReport): void {
  requireFields(report, path, source, ["server", "path"]);
  if (source.path.startsWith("/")) return;
  report.invalid(path, "path", source.path, "must be an absolute path");
}

/** It may begin anywhere in the name, for which a RegExp needs quadratic time. */
const iqnName = String.raw`iqn\.\d{4}-\d{2}\.([A-Za-z0-9\-.]+)(:[^,;*&$|\s]+)$`;

/** The format of an initiator or target name, by its prefix. */
const iscsiNames: Readonly<Record<string, Pattern>> = table({
  iqn: { test: (name) => compilePattern(iqnName).test(name) },
  eui: /^eui.[A-Za-z0-9]{16}$/,
  naa: /^naa.[A-Za-z0-9]{32}$/,
});

/** The problem with the name of an initiator or target; undefined if there is none. */
export function iscsiNameProblem(
  name: string,
  unknownMessage = "must be valid format starting with iqn, eui, or naa",
): string | undefined {
  const pattern = iscsiNames[name.slice(0, 3)];
  if (pattern === undefined) return unknownMessage;
  return pattern.test(name) ? undefined : "must be valid format";
}

export function validateISCSI(
  source: ISCSIVolumeSource,
  path: FieldPath,
  report: FieldReport,
): void {
  requireFields(report, path, source, ["targetPortal", "iqn"]);
  const { iqn, lun, initiatorName, secretRef, chapAuthDiscovery, chapAuthSession } = source;
  const iqnProblem = iqn ? iscsiNameProblem(iqn) : undefined;
  if (iqnProblem !== undefined) report.invalid(path, "iqn", iqn, iqnProblem);
  if (lun < 0 || lun > 255) report.invalid(path, "lun", lun, rangeMessage(0, 255));
  if ((chapAuthDiscovery || chapAuthSession) && !secretRef) report.required(path, "secretRef");
  const problem = initiatorName === undefined ? undefined : iscsiNameProblem(initiatorName);
  if (problem !== undefined) report.invalid(path, "initiatorname", initiatorName, problem);
}

export function validateGlusterfs(
  source: GlusterfsVolumeSource,
  path: FieldPath,
  report: FieldReport,
): void {
  requireFields(report, path, source, ["endpoints", "path"]);
}

export function validateFlocker(
  { datasetName = "", datasetUUID = "" }: FlockerVolumeSource,
  path: FieldPath,
  report: FieldReport,
): void {
  if (datasetName === "" && datasetUUID === "") {
    report.required(path, "", "one of datasetName and datasetUUID is required");
  }
  if (datasetName !== "" && datasetUUID !== "") {
    const detail = "datasetName and datasetUUID can not be specified simultaneously";
    report.invalid(path, "", "resource", detail);
  }
  if (datasetName.includes("/")) {
    report.invalid(path, "datasetName", datasetName, "must not contain '/'");
  }
}

export function validateRBD(source: RBDVolumeSource, path: FieldPath, report: FieldReport): void {
  requireFields(report, path, source, ["monitors", "image"]);
}

export function validateCinder(
  source: CinderVolumeSource,
  path: FieldPath,
  report: FieldReport,
): void {
  requireFields(report, path, source, ["volumeID"]);
  if (source.secretRef && !source.secretRef.name) report.required(path.child("secretRef"), "name");
}

export function validateCephFS(
  source: CephFSVolumeSource,
  path: FieldPath,
  report: FieldReport,
): void {
  requireFields(report, path, source, ["monitors"]);
}

const pairs = "must be a host:port pair or multiple pairs separated by commas";

export function validateQuobyte(
  { registry, tenant = "", volume }: QuobyteVolumeSource,
  path: FieldPath,
  report: FieldReport,
): void {
  if (!registry) report.required(path, "registry", pairs);
  else if (isLongerThan(tenant, 64)) {
    const detail = "must be a UUID and may not exceed a length of 64 characters";
    report.required(path, "tenant", detail);
  } else {
    for (const pair of registry.split(",")) {
      if (!isHostPort(pair)) report.invalid(path, "registry", registry, pairs);
    }
  }
  if (!volume) report.required(path, "volume");
}

/** Whether Go's net.SplitHostPort accepts a text. */
const isHostPort = (text: string): boolean =>
  /^[^:[\]]*:[^:[\]]*$/.test(text) || /^\[[^[\]]*\]:[^:[\]]*$/.test(text);

export function validateFC(source: FCVolumeSource, path: FieldPath, report: FieldReport): void {
  const { targetWWNs = [], wwids = [], lun } = source;
  if (targetWWNs.length === 0 && wwids.length === 0) {
    const detail = "must specify either targetWWNs or wwids, but not both";
    report.required(path, "targetWWNs", detail);
  }
  if (targetWWNs.length > 0 && wwids.length > 0) {
    const detail = "targetWWNs and wwids can not be specified simultaneously";
    report.invalid(path, "targetWWNs", targetWWNs, detail);
  }
  if (targetWWNs.length === 0) return;
  if (lun === undefined) report.required(path, "lun", "lun is required if targetWWNs is specified");
  else if (lun < 0 || lun > 255) report.invalid(path, "lun", lun, rangeMessage(0, 255));
}

export function validateFlexVolume(
  source: Pick<FlexVolumeSource, "driver" | "options">,
  path: FieldPath,
  report: FieldReport,
): void {
  requireFields(report, path, source, ["driver"]);
  for (const key in source.options) {
    const [namespace = ""] = key.split("/", 1);
    if (!/(^|\.)(kubernetes|k8s)\.io$/i.test(namespace)) continue;
    const detail = "kubernetes.io and k8s.io namespaces are reserved";
    report.invalid(path.child("options").key(key), "", key, detail);
  }
}

export function validateAzureFile(
  source: AzureFileVolumeSource,
  path: FieldPath,
  report: FieldReport,
): void {
  requireFields(report, path, source, ["secretName", "shareName"]);
}

const cachingModes = ["None", "ReadOnly", "ReadWrite"];
const diskKinds = ["Dedicated", "Managed", "Shared"];
const managedUri =
  "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}";
const blobUri = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd";

export function validateAzureDisk(
  source: AzureDiskVolumeSource,
  path: FieldPath,
  report: FieldReport,
): void {
  requireFields(report, path, source, ["diskName", "diskURI"]);
  const { cachingMode, kind, diskURI } = source;
  if (cachingMode !== undefined && !cachingModes.includes(cachingMode)) {
    report.notSupported(path, "cachingMode", cachingMode, cachingModes);
  }
  if (kind === undefined) return;
  if (!diskKinds.includes(kind)) report.notSupported(path, "kind", kind, diskKinds);
  const managed = kind === "Managed";
  if (diskURI.startsWith(managed ? "/subscriptions/" : "https://")) return;
  report.notSupportedText(path, "diskURI", diskURI, [managed ? managedUri : blobUri]);
}

export function validateVsphereVolume(
  source: VsphereVirtualDiskVolumeSource,
  path: FieldPath,
  report: FieldReport,
): void {
  requireFields(report, path, source, ["volumePath"]);
}

export function validatePhotonPersistentDisk(
  source: PhotonPersistentDiskVolumeSource,
  path: FieldPath,
  report: FieldReport,
): void {
  requireFields(report, path, source, ["pdID"]);
}

export function validatePortworxVolume(
  source: PortworxVolumeSource,
  path: FieldPath,
  report: FieldReport,
): void {
  requireFields(report, path, source, ["volumeID"]);
}

export function validateStorageOS(
  { volumeName = "", volumeNamespace = "", secretRef }: StorageOSVolumeSource,
  path: FieldPath,
  report: FieldReport,
): void {
  if (volumeName === "") report.required(path, "volumeName");
  else report.problems(path, "volumeName", volumeName, isDNS1123Label(volumeName));
  if (volumeNamespace !== "") {
    report.problems(path, "volumeNamespace", volumeNamespace, isDNS1123Label(volumeNamespace));
  }
  if (secretRef && !secretRef.name) report.required(path.child("secretRef"), "name");
}

export function validateScaleIO(
  source: Pick<ScaleIOVolumeSource, "gateway" | "system" | "volumeName">,
  path: FieldPath,
  report: FieldReport,
): void {
  requireFields(report, path, source, ["gateway", "system", "volumeName"]);
}

/** Limit of a CSI driver name (bytes). */
const maxDriverBytes = 63;

/** Checks the name of a CSI driver. */
export function validateCSIDriverName(
  report: FieldReport,
  path: FieldPath,
  field: string,
  driver: string,
): void {
  if (!driver) {
    report.required(path, field);
    return;
  }
  if (isLongerThan(driver, maxDriverBytes)) report.tooLong(path, field, maxDriverBytes);
  report.problems(path, field, driver, isDNS1123Subdomain(driver.toLowerCase()));
}

export function validateCSI(source: CSIVolumeSource, path: FieldPath, report: FieldReport): void {
  validateCSIDriverName(report, path, "driver", source.driver);
  if (source.nodePublishSecretRef === undefined) return;
  const { name = "" } = source.nodePublishSecretRef;
  if (name === "") report.required(path.child("nodePublishSecretRef"), "name");
  else report.problems(path, "name", name, nameIsDNSSubdomain(name, false));
}
