import { type PersistentVolume, persistentVolumes } from "#/api/core/v1.ts";
import { required } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { formatTime } from "#/machinery/time/time.ts";
import {
  type Column,
  type Decoded,
  type RequestContext,
  serve,
} from "../../../registry/strategy.ts";
import { formatAccessModes, storageClassAnnotation } from "../../rules/access-modes.ts";
import { ageColumn, nameColumn } from "../../rules/age.ts";
import { keepSpec, keepStatus } from "../../rules/keep-spec.ts";
import { validateMetaUpdate } from "../../rules/object-meta-rules.ts";
import { setPersistentVolumeDefaults } from "./defaults.ts";
import { validatePersistentVolume } from "./validate-persistent-volume.ts";
import { validatePersistentVolumeUpdate } from "./validate-update.ts";
import { persistentVolumeWarnings } from "./warnings.ts";

const columns: readonly Column<PersistentVolume>[] = [
  nameColumn,
  { name: "Capacity", type: "string", cell: ({ spec }) => spec.capacity?.["storage"] ?? "0" },
  { name: "Access Modes", type: "string", cell: ({ spec }) => formatAccessModes(spec.accessModes) },
  {
    name: "Reclaim Policy",
    type: "string",
    cell: ({ spec }) => spec.persistentVolumeReclaimPolicy ?? "",
  },
  {
    name: "Status",
    type: "string",
    cell: ({ metadata, status }) =>
      metadata.deletionTimestamp ? "Terminating" : (status?.phase ?? ""),
  },
  {
    name: "Claim",
    type: "string",
    cell: ({ spec: { claimRef } }) =>
      claimRef ? `${claimRef.namespace ?? ""}/${claimRef.name ?? ""}` : "",
  },
  {
    name: "StorageClass",
    type: "string",
    cell: ({ metadata, spec }) =>
      metadata.annotations?.[storageClassAnnotation] ?? spec.storageClassName ?? "",
  },
  {
    name: "VolumeAttributesClass",
    type: "string",
    cell: ({ spec }) => spec.volumeAttributesClassName ?? "<unset>",
  },
  { name: "Reason", type: "string", cell: ({ status }) => status?.reason ?? "" },
  ageColumn,
  {
    name: "VolumeMode",
    type: "string",
    priority: 1,
    cell: ({ spec }) => spec.volumeMode ?? "<unset>",
  },
];

/** Upstream: pkg/registry/core/persistentvolume/strategy.go. */
export const persistentVolume = serve(persistentVolumes, {
  returnsDeletedObject: true,
  setDefaults: setPersistentVolumeDefaults,
  prepareForCreate(object, { now }) {
    object.status = { phase: "Pending", lastPhaseTransitionTime: formatTime(now) };
  },
  prepareForUpdate: keepStatus,
  validate: (object) => validatePersistentVolume(object),
  validateUpdate: (object, old, context) => [
    ...validatePersistentVolume(object, old),
    ...validatePersistentVolumeUpdate(object, old, context),
  ],
  warnings: persistentVolumeWarnings,
  resetFields: ["status"],
  status: {
    prepareForUpdate: stampPhase,
    validateUpdate: ({ metadata }, old) => [
      ...validateMetaUpdate(metadata, old.metadata),
      ...(metadata.resourceVersion ? [] : [required(fieldPath("resourceVersion"))]),
    ],
    resetFields: ["spec"],
  },
  columns,
});

/** The server sets the time of the last phase transition, unless the client sends a new one. */
function stampPhase(
  object: Decoded<PersistentVolume>,
  old: Decoded<PersistentVolume>,
  { now }: RequestContext,
): void {
  keepSpec(object, old);
  object.status ??= {};
  const { status } = object;
  const before = old.status ?? {};
  const sent = status.lastPhaseTransitionTime;
  if (before.phase === status.phase) {
    if (sent === undefined && before.lastPhaseTransitionTime !== undefined) {
      status.lastPhaseTransitionTime = before.lastPhaseTransitionTime;
    }
  } else if (sent === undefined || sent === before.lastPhaseTransitionTime) {
    status.lastPhaseTransitionTime = formatTime(now);
  }
}
