import {
  type VolumeAttachment,
  type VolumeAttachmentSource,
  type VolumeError,
  volumeAttachments,
} from "#/api/storage/v1.ts";
import { JsonValue, tooLongCharacters } from "#/machinery/meta/field-error.ts";
import { type FieldPath, fieldPath } from "#/machinery/meta/field-path.ts";
import {
  isDNS1123SubdomainCaseless,
  isLongerThan,
  nameIsDNSSubdomain,
  rangeMessage,
} from "#/machinery/meta/names.ts";
import { immutableMessage } from "#/machinery/meta/object-meta.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { type Decoded, serve } from "../../registry/strategy.ts";
import { validateCSIDriverName } from "../core/pod-spec/volumes/remote-volumes.ts";
import { ageColumn, nameColumn } from "../rules/age.ts";
import { FieldReport } from "../rules/field-report.ts";
import { keepMetadata } from "../rules/keep-metadata.ts";
import { keepSpec, keepStatus } from "../rules/keep-spec.ts";
import { validateClusterMeta } from "../rules/object-meta-rules.ts";
import { isTooBig } from "./class-parameters.ts";
import { setInlineVolumeDefaults, validateInlineVolume } from "./inline-volume.ts";

const specPath = fieldPath("spec");
const statusPath = fieldPath("status");
const maxMetadataBytes = 256 * 1024;
const maxMessageBytes = 1024;
const maxDriverCharacters = 63;
const maxInt32 = 2 ** 31 - 1;

/**
 * Upstream: pkg/registry/storage/volumeattachment/strategy.go, pkg/apis/storage/validation/validation.go,
 * pkg/apis/storage/v1/zz_generated.validations.go.
 */
export const volumeAttachment = serve(volumeAttachments, {
  returnsDeletedObject: true,
  allowUnconditionalUpdate: false,
  setDefaults({ spec }) {
    if (spec.source.inlineVolumeSpec) setInlineVolumeDefaults(spec.source.inlineVolumeSpec);
  },
  prepareForCreate(object) {
    object.status = { attached: false };
  },
  prepareForUpdate: keepStatus,
  validate(object) {
    const report = new FieldReport();
    report.add(validateClusterMeta(object.metadata, nameIsDNSSubdomain));
    validateParts(report, object);
    validateAttacher(report, object.spec.attacher);
    return report.errors;
  },
  validateUpdate,
  resetFields: ["status"],
  status: {
    prepareForUpdate(object, old) {
      keepSpec(object, old);
      keepMetadata(object.metadata, old.metadata);
    },
    validateUpdate,
    resetFields: ["metadata", "spec"],
  },
  columns: [
    nameColumn,
    { name: "Attacher", type: "string", format: "name", cell: ({ spec }) => spec.attacher },
    { name: "PV", type: "string", cell: ({ spec }) => spec.source.persistentVolumeName ?? "" },
    { name: "Node", type: "string", cell: ({ spec }) => spec.nodeName },
    { name: "Attached", type: "boolean", cell: ({ status }) => status?.attached ?? false },
    ageColumn,
  ],
});

function validateUpdate(object: Decoded<VolumeAttachment>, old: Decoded<VolumeAttachment>) {
  const report = new FieldReport();
  report.add(validateClusterMeta(object.metadata, nameIsDNSSubdomain));
  validateCSIDriverName(report, specPath, "attacher", object.spec.attacher);
  validateParts(report, object);
  if (!deepEqual(object.spec, old.spec)) {
    report.invalid(specPath, "", new JsonValue(null), immutableMessage);
  }
  return report.errors;
}

function validateParts(report: FieldReport, { spec, status }: VolumeAttachment): void {
  const { source, nodeName } = spec;
  validateSource(report, specPath.child("source"), source);
  report.problems(specPath, "nodeName", nodeName, nameIsDNSSubdomain(nodeName, false));
  if (isTooBig(Object.entries(status?.attachmentMetadata ?? {}))) {
    report.tooLong(statusPath, "attachmentMetadata", maxMetadataBytes);
  }
  validateError(report, statusPath.child("attachError"), status?.attachError);
  validateError(report, statusPath.child("detachError"), status?.detachError);
  const { persistentVolumeName: volume } = source;
  if (volume !== undefined) {
    const at = fieldPath("spec.source.persistentVolumeName");
    report.problems(at, "", volume, nameIsDNSSubdomain(volume, false));
  }
}

/** Rules that upstream declares with the type. */
function validateAttacher(report: FieldReport, attacher: string): void {
  if (attacher === "") {
    report.required(specPath, "attacher");
    return;
  }
  report.problems(specPath, "attacher", attacher, isDNS1123SubdomainCaseless(attacher));
  if (attacher.length > maxDriverCharacters) {
    report.add([tooLongCharacters(specPath.child("attacher"), maxDriverCharacters)]);
  }
}

function validateSource(
  report: FieldReport,
  path: FieldPath,
  { inlineVolumeSpec, persistentVolumeName }: VolumeAttachmentSource,
): void {
  const detail = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
  if (inlineVolumeSpec && persistentVolumeName !== undefined) report.forbidden(path, "", detail);
  else if (inlineVolumeSpec) {
    validateInlineVolume(report, path.child("inlineVolumeSpec"), inlineVolumeSpec);
  } else if (persistentVolumeName === undefined) report.required(path, "", detail);
  else if (persistentVolumeName === "") {
    report.required(path, "persistentVolumeName", "must specify non empty persistentVolumeName");
  }
}

function validateError(
  report: FieldReport,
  path: FieldPath,
  { message = "", errorCode = 0 }: VolumeError = {},
): void {
  if (isLongerThan(message, maxMessageBytes)) report.tooLong(path, "message", maxMessageBytes);
  if (errorCode < 0) report.invalid(path, "errorCode", errorCode, rangeMessage(0, maxInt32));
}
