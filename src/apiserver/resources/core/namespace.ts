import { type Namespace, namespaces } from "#/api/core/v1.ts";
import { type FieldError, invalid, JsonValue } from "#/machinery/meta/field-error.ts";
import { type FieldPath, fieldPath } from "#/machinery/meta/field-path.ts";
import { isQualifiedName, nameIsDNSLabel } from "#/machinery/meta/names.ts";
import { type Decoded, serve } from "../../registry/strategy.ts";
import { ageColumn, nameColumn } from "../rules/age.ts";
import { keepSpec, keepStatus } from "../rules/keep-spec.ts";
import {
  validateClusterMeta,
  validateFinalizerName,
  validateMetaUpdate,
} from "../rules/object-meta-rules.ts";

const kubernetesFinalizer = "kubernetes";
const nameLabel = "kubernetes.io/metadata.name";

/** Upstream: pkg/registry/core/namespace/strategy.go and storage/storage.go. */
export const namespace = serve(namespaces, {
  isNamespace: true,
  returnsDeletedObject: true,
  setDefaults(object) {
    if (object.metadata.name) labelWithName(object);
    object.status ??= {};
    object.status.phase ||= "Active";
  },
  prepareForCreate(object) {
    object.status = { phase: "Active" };
    const { finalizers = [] } = object.spec;
    if (!finalizers.includes(kubernetesFinalizer)) {
      object.spec.finalizers = [...finalizers, kubernetesFinalizer];
    }
  },
  prepareForUpdate(object, old) {
    keepSpec(object, old); // The spec has only finalizers.
    keepStatus(object, old);
  },
  validate: validateNamespace,
  validateUpdate: (object, old) => [
    ...validateNamespace(object),
    ...validateMetaUpdate(object.metadata, old.metadata),
  ],
  canonicalize: labelWithName,
  mayRemove: ({ spec }) => (spec.finalizers?.length ?? 0) === 0,
  onDeleteBegun(object) {
    object.status = { ...object.status, phase: "Terminating" };
  },
  resetFields: ["status"],
  status: {
    prepareForUpdate: keepSpec,
    validateUpdate: (object, old) => [
      ...validateMetaUpdate(object.metadata, old.metadata),
      ...validatePhase(object),
    ],
    resetFields: ["spec"],
  },
  views: {
    finalize: {
      prepareForUpdate: keepStatus,
      validateUpdate: ({ metadata, spec }, old) => [
        ...validateMetaUpdate(metadata, old.metadata),
        ...(spec.finalizers ?? []).flatMap((name, index) =>
          validateFinalizer(name, fieldPath("spec", "finalizers").index(index)),
        ),
      ],
      resetFields: ["status"],
    },
  },
  selectableFields: {
    "status.phase": ({ status }) => status?.phase ?? "",
  },
  columns: [
    nameColumn,
    { name: "Status", type: "string", cell: ({ status }) => status?.phase ?? "" },
    ageColumn,
  ],
});

function labelWithName({ metadata }: Decoded<Namespace>): void {
  metadata.labels ??= {};
  metadata.labels[nameLabel] = metadata.name ?? "";
}

function validateNamespace({ metadata, spec }: Decoded<Namespace>): FieldError[] {
  return [
    ...validateClusterMeta(metadata, nameIsDNSLabel),
    ...(spec.finalizers ?? []).flatMap((name) =>
      validateFinalizer(name, fieldPath("spec", "finalizers")),
    ),
  ];
}

function validateFinalizer(name: string, path: FieldPath): FieldError[] {
  const problems = isQualifiedName(name);
  return [
    ...problems.map((problem) => invalid(path, name, problem)),
    ...validateFinalizerName(name, path),
  ];
}

function validatePhase({ metadata, status }: Decoded<Namespace>): FieldError[] {
  const deleting = metadata.deletionTimestamp !== undefined;
  const phase = status?.phase ?? "";
  if (phase === (deleting ? "Terminating" : "Active")) return [];
  const detail = deleting
    ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
    : "may only be 'Active' if `deletionTimestamp` is empty";
  return [invalid(fieldPath("status", "Phase"), new JsonValue(phase), detail)];
}
