import type { Container, VolumeDevice, VolumeMount } from "#/api/core/v1.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { repeatedIndices } from "#/std/base/by-key.ts";
import type { FieldReport } from "../../../rules/field-report.ts";
import type { ValidationScope } from "../base/validation-scope.ts";
import { validateDescendingPath } from "./local-path.ts";

/** Upstream: pkg/apis/core/validation/validation.go. */

const propagations = ["Bidirectional", "HostToContainer", "None"];
const recursiveModes = ["Disabled", "Enabled", "IfPossible"];
const bindOptions = ["nodev", "noexec", "nosuid"];

/** Checks the volume mounts of a container. */
export function validateMounts(
  container: Container,
  path: FieldPath,
  scope: ValidationScope,
): void {
  const { volumeMounts } = container;
  if (volumeMounts === undefined) return;
  const { report, volumes } = scope;
  const devices = container.volumeDevices ?? [];
  const deviceNames = new Set(devices.map(({ name }) => name));
  const devicePaths = lastPaths(devices, "devicePath");
  const mountPaths = new Set<string>();
  volumeMounts.forEach((mount, index) => {
    const at = path.index(index);
    const { name = "", mountPath = "" } = mount;
    if (name === "") report.required(at, "name");
    if (!volumes.has(name)) report.notFound(at, "name", name);
    if (mountPath === "") report.required(at, "mountPath");
    if (mountPaths.has(mountPath)) report.invalid(at, "mountPath", mountPath, "must be unique");
    mountPaths.add(mountPath);
    if (deviceNames.has(name)) {
      report.invalid(at, "name", name, "must not already exist in volumeDevices");
    }
    if (devicePaths.has(mountPath)) {
      const detail = "must not already exist as a path in volumeDevices";
      report.invalid(at, "mountPath", mountPath, detail);
    }
    validateSubPath(report, path, at, mount);
    validatePropagation(report, path, mount, container);
    validateRecursiveReadOnly(report, path, mount);
    validateBindOptions(mount, at, scope);
  });
}

/** The mount path of each volume; the last one if a volume has several. */
function lastPaths<K extends string>(
  items: readonly ({ name: string } & Record<K, string>)[],
  key: K,
): ReadonlySet<string> {
  if (items.length === 0) return noPaths;
  return new Set(new Map(items.map((item) => [item.name, item[key]])).values());
}

const noPaths: ReadonlySet<string> = new Set();

function validateSubPath(
  report: FieldReport,
  listPath: FieldPath,
  path: FieldPath,
  { subPath, subPathExpr }: VolumeMount,
): void {
  if (subPath) validateDescendingPath(report, listPath, "subPath", subPath);
  if (!subPathExpr) return;
  if (subPath) {
    const detail = "subPathExpr and subPath are mutually exclusive";
    report.invalid(path, "subPathExpr", subPathExpr, detail);
  }
  validateDescendingPath(report, listPath, "subPathExpr", subPathExpr);
}

function validatePropagation(
  report: FieldReport,
  path: FieldPath,
  { mountPropagation: mode }: VolumeMount,
  { securityContext }: Container,
): void {
  if (mode === undefined) return;
  if (!propagations.includes(mode)) {
    report.notSupported(path, "mountPropagation", mode, propagations);
  }
  if (mode === "Bidirectional" && securityContext?.privileged !== true) {
    const detail = "Bidirectional mount propagation is available only to privileged containers";
    report.forbidden(path, "mountPropagation", detail);
  }
}

function validateRecursiveReadOnly(
  report: FieldReport,
  path: FieldPath,
  { recursiveReadOnly: mode, readOnly, mountPropagation = "None" }: VolumeMount,
): void {
  if (mode === undefined || mode === "Disabled") return;
  if (!recursiveModes.includes(mode)) {
    report.notSupported(path, "recursiveReadOnly", mode, recursiveModes);
    return;
  }
  if (!readOnly) {
    report.forbidden(path, "recursiveReadOnly", "may only be specified when readOnly is true");
  }
  if (mountPropagation !== "None") {
    const detail = "may only be specified when mountPropagation is None or not specified";
    report.forbidden(path, "recursiveReadOnly", detail);
  }
}

function validateBindOptions(
  { name, bindMountOptions = [] }: VolumeMount,
  path: FieldPath,
  { report, volumes }: ValidationScope,
): void {
  if (bindMountOptions.length === 0) return;
  const at = path.child("bindMountOptions");
  const repeated = repeatedIndices(bindMountOptions);
  bindMountOptions.forEach((option, index) => {
    if (!bindOptions.includes(option)) {
      report.notSupportedText(at.index(index), "", option, bindOptions);
    }
    if (repeated.has(index)) report.duplicate(at.index(index), "", option);
  });
  if (volumes.get(name)?.image) {
    const detail = "bindMountOptions may not be used with image volumes";
    report.invalid(at, "", bindMountOptions, detail);
  }
}

/** Checks the block devices of a container. */
export function validateDevices(
  { volumeDevices, volumeMounts = [] }: Container,
  path: FieldPath,
  { report, volumes }: ValidationScope,
): void {
  if (volumeDevices === undefined) return;
  const names = new Set<string>();
  const paths = new Set<string>();
  const mountPaths = lastPaths(volumeMounts, "mountPath");
  const mountNames = new Set(volumeMounts.map((mount) => mount.name));
  volumeDevices.forEach(({ name = "", devicePath = "" }: VolumeDevice, index) => {
    const at = path.index(index);
    const volume = volumes.get(name);
    if (name === "") report.required(at, "name");
    if (names.has(name)) report.invalid(at, "name", name, "must be unique");
    if (!volume) report.notFound(at, "name", name);
    else if (!volume.persistentVolumeClaim && !volume.ephemeral) {
      const detail =
        "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode";
      report.invalid(at, "name", name, detail);
    }
    if (devicePath === "") report.required(at, "devicePath");
    if (paths.has(devicePath)) report.invalid(at, "devicePath", devicePath, "must be unique");
    if (devicePath.split("/").includes("..")) {
      report.invalid(at, "devicePath", devicePath, "can not contain backsteps ('..')");
    } else paths.add(devicePath);
    if (mountNames.has(name)) {
      report.invalid(at, "name", name, "must not already exist in volumeMounts");
    }
    if (mountPaths.has(devicePath)) {
      const detail = "must not already exist as a path in volumeMounts";
      report.invalid(at, "devicePath", devicePath, detail);
    }
    if (name !== "") names.add(name);
  });
}
