import type { PersistentVolumeSpec } from "#/api/core/v1.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { validateSource } from "../core/persistent-volume/sources.ts";
import { roundResourceList } from "../core/pod-spec/base/resource-list-defaults.ts";
import { setStorageDefaults } from "../core/pod-spec/volumes/volume-defaults.ts";
import { validateAccessModes } from "../rules/access-modes.ts";
import type { FieldReport } from "../rules/field-report.ts";

/**
 * The spec of a persistent volume inside a VolumeAttachment.
 *
 * Upstream: pkg/apis/core/validation/validation.go (ValidatePersistentVolumeSpec),
 * pkg/apis/storage/v1/zz_generated.defaults.go.
 */

const inline = "in the context of inline volumes";

/** Sets the defaults of an inline volume. */
export function setInlineVolumeDefaults(spec: PersistentVolumeSpec): void {
  roundResourceList(spec.capacity);
  setStorageDefaults(spec);
}

/** Checks an inline volume: it must use CSI and may name neither a claim nor a class. */
export function validateInlineVolume(
  report: FieldReport,
  path: FieldPath,
  spec: PersistentVolumeSpec,
): void {
  const { claimRef, capacity = {}, csi, accessModes: modes = [], nodeAffinity } = spec;
  if (claimRef) report.forbidden(path, "claimRef", `may not be specified ${inline}`);
  if (Object.keys(capacity).length > 0) {
    report.forbidden(path, "capacity", `may not be specified ${inline}`);
  }
  if (!csi) report.required(path, "csi", `has to be specified ${inline}`);
  if (modes.length === 0) report.required(path, "accessModes");
  validateAccessModes(report, path, modes);
  const { persistentVolumeReclaimPolicy: policy, storageClassName, volumeMode } = spec;
  if (policy && policy !== "Retain") {
    report.forbidden(path, "persistentVolumeReclaimPolicy", `may only be Retain ${inline}`);
  }
  if (nodeAffinity) report.forbidden(path, "nodeAffinity", `may not be specified ${inline}`);
  validateSource(spec, "", path, report);
  if (storageClassName) {
    report.forbidden(path, "storageClassName", `may not be specified ${inline}`);
  }
  if (volumeMode !== undefined && volumeMode !== "Filesystem") {
    const detail = `may not specify volumeMode other than Filesystem ${inline}`;
    report.forbidden(path, "volumeMode", detail);
  }
}
