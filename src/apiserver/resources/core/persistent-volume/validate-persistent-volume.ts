import type { PersistentVolume, PersistentVolumeSpec } from "#/api/core/v1.ts";
import {
  type FieldError,
  forbidden,
  JsonValue,
  notSupported,
} from "#/machinery/meta/field-error.ts";
import { type FieldPath, fieldPath } from "#/machinery/meta/field-path.ts";
import { nameIsDNSSubdomain } from "#/machinery/meta/names.ts";
import type { Decoded } from "../../../registry/strategy.ts";
import { validateAccessModes } from "../../rules/access-modes.ts";
import { FieldReport } from "../../rules/field-report.ts";
import { hasInvalidValue, validateNodeSelector } from "../../rules/node-selector.ts";
import { validateClusterMeta } from "../../rules/object-meta-rules.ts";
import { validateBasicAmount, validatePositiveAmount } from "../../rules/quantity-rules.ts";
import { validateSource } from "./sources.ts";

/**
 * Upstream: pkg/apis/core/validation/validation.go (ValidatePersistentVolume), pkg/volume/validation/pv_validation.go.
 */
const reclaimPolicies = ["Delete", "Recycle", "Retain"];
const volumeModes = ["Block", "Filesystem"];

/** Validation errors of a persistent volume; old is the volume that an update replaces. */
export function validatePersistentVolume(
  volume: Decoded<PersistentVolume>,
  old?: PersistentVolume,
): FieldError[] {
  const { metadata, spec } = volume;
  const errors = validateClusterMeta(metadata, nameIsDNSSubdomain);
  const allowInvalidValues = hasInvalidValue(old?.spec.nodeAffinity?.required);
  const path = fieldPath("spec");
  const report = new FieldReport();
  const { accessModes = [] } = spec;
  if (accessModes.length === 0) report.required(path, "accessModes");
  validateAccessModes(report, path, accessModes);
  validateCapacity(spec, path, report);
  const policy = spec.persistentVolumeReclaimPolicy;
  if (policy && !reclaimPolicies.includes(policy)) {
    report.notSupported(path, "persistentVolumeReclaimPolicy", policy, reclaimPolicies);
  }
  if (spec.nodeAffinity) {
    const at = path.child("nodeAffinity");
    const { required } = spec.nodeAffinity;
    if (!required) report.required(at, "required", "must specify required node constraints");
    else report.add(validateNodeSelector(required, at.child("required"), { allowInvalidValues }));
  }
  validateSource(spec, metadata.name ?? "", path, report);
  validateClasses(spec, path, report);
  return [...errors, ...report.errors, ...validateMountOptions(volume)];
}

function validateCapacity(spec: PersistentVolumeSpec, path: FieldPath, report: FieldReport): void {
  const { capacity = {} } = spec;
  const names = Object.keys(capacity);
  if (names.length === 0) report.required(path, "capacity");
  if (names.length !== 1 || names[0] !== "storage") {
    const sorted = Object.fromEntries(Object.entries(capacity).sort());
    const shown = new JsonValue(names.length === 0 ? null : sorted);
    report.add([notSupported(path.child("capacity"), shown, ["storage"])]);
  }
  for (const [name, amount] of Object.entries(capacity)) {
    const at = path.child("capacity").key(name);
    report.add(validateBasicAmount(amount, at));
    report.add(validatePositiveAmount(amount, at));
  }
}

function validateClasses(spec: PersistentVolumeSpec, path: FieldPath, report: FieldReport): void {
  const { hostPath, persistentVolumeReclaimPolicy, storageClassName, volumeMode } = spec;
  if (hostPath && isRoot(hostPath.path) && persistentVolumeReclaimPolicy === "Recycle") {
    const detail = "may not be 'recycle' for a hostPath mount of '/'";
    report.forbidden(path, "persistentVolumeReclaimPolicy", detail);
  }
  if (storageClassName) {
    const problems = nameIsDNSSubdomain(storageClassName, false);
    report.problems(path, "storageClassName", storageClassName, problems);
  }
  if (volumeMode !== undefined && !volumeModes.includes(volumeMode)) {
    report.notSupported(path, "volumeMode", volumeMode, volumeModes);
  }
  const { volumeAttributesClassName: className, csi } = spec;
  if (className === undefined) return;
  if (className === "") {
    report.required(path, "volumeAttributesClassName", "an empty string is disallowed");
  } else {
    const problems = nameIsDNSSubdomain(className, false);
    report.problems(path, "volumeAttributesClassName", className, problems);
  }
  if (!csi) {
    report.required(path, "csi", "has to be specified when using volumeAttributesClassName");
  }
}

/** Whether a path is the root after normalization. */
function isRoot(path: string): boolean {
  const names: string[] = [];
  for (const name of path.split("/")) {
    if (name === "..") names.pop();
    else if (name !== "" && name !== ".") names.push(name);
  }
  return path.startsWith("/") && names.length === 0;
}

const mountable = [
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "glusterfs",
  "nfs",
  "rbd",
  "quobyte",
  "iscsi",
  "cinder",
  "cephfs",
  "azureFile",
  "vsphereVolume",
  "azureDisk",
  "photonPersistentDisk",
] as const;
const mountOptions = "volume.beta.kubernetes.io/mount-options";

function validateMountOptions({ metadata, spec }: Decoded<PersistentVolume>): FieldError[] {
  if (metadata.annotations?.[mountOptions] === undefined) return [];
  if (mountable.some((source) => spec[source])) return [];
  const path = fieldPath("metadata", "annotations", mountOptions);
  return [forbidden(path, "may not specify mount options for this volume type")];
}
