/**
 * The custom resources of the driver and of volume snapshots. The latter are upstream's:
 * github.com/kubernetes-csi/external-snapshotter/client/v8/config/crd.
 */
import type { CustomResourceDefinition } from "#/api/apiextensions/v1.ts";
import { localGroup } from "./custom-objects.ts";

type Version = CustomResourceDefinition["spec"]["versions"][number];
type Schema = NonNullable<NonNullable<Version["schema"]>["openAPIV3Schema"]>;
type Columns = NonNullable<Version["additionalPrinterColumns"]>;

interface Definition {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly shortNames?: readonly string[];
  readonly isNamespaced?: boolean;
  readonly hasStatus?: boolean;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly properties: Readonly<Record<string, Schema>>;
  readonly required: readonly string[];
  /** Names, types and paths. */
  readonly columns: readonly (readonly [name: string, type: string, path: string])[];
  readonly selectable?: readonly string[];
}

const text: Schema = { type: "string" };
const flag: Schema = { type: "boolean" };
const size: Schema = { type: "integer", format: "int64", minimum: 0 };
const time: Schema = { type: "string", format: "date-time" };
const texts: Schema = { type: "object", additionalProperties: text };
const object = (properties: Readonly<Record<string, Schema>>, more: Schema = {}): Schema => ({
  type: "object",
  properties: { ...properties },
  ...more,
});
const choice = (...values: readonly string[]): Schema => ({ type: "string", enum: [...values] });
const rule = (expression: string, message: string) => ({ rule: expression, message });
const fixed = (name: string): Schema => ({
  type: "string",
  "x-kubernetes-validations": [rule("self == oldSelf", `${name} is immutable`)],
});
/** Two names, of which exactly one has a value that does not change. */
const oneOf = (a: string, b: string): Schema =>
  object(
    { [a]: fixed(a), [b]: fixed(b) },
    {
      "x-kubernetes-validations": [
        ...[a, b].map((name) =>
          rule(`!has(oldSelf.${name}) || has(self.${name})`, `${name} is required once set`),
        ),
        rule(`has(self.${a}) != has(self.${b})`, `exactly one of ${a} and ${b} must be set`),
      ],
    },
  );

const snapshotGroup = "snapshot.storage.k8s.io";
const approval = {
  "api-approved.kubernetes.io": "https://github.com/kubernetes-csi/external-snapshotter/pull/814",
};
const snapshotError = object({ message: text, time });
const reference = object({
  apiVersion: text,
  fieldPath: text,
  kind: text,
  name: text,
  namespace: text,
  resourceVersion: text,
  uid: text,
});
const quantity: Schema = {
  "x-kubernetes-int-or-string": true,
  anyOf: [{ type: "integer" }, { type: "string" }],
  pattern:
    "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$",
};
const policy = choice("Delete", "Retain");
const age = ["Age", "date", ".metadata.creationTimestamp"] as const;

const snapshots: Definition = {
  group: snapshotGroup,
  kind: "VolumeSnapshot",
  plural: "volumesnapshots",
  shortNames: ["vs"],
  isNamespaced: true,
  hasStatus: true,
  annotations: approval,
  required: ["spec"],
  properties: {
    spec: object(
      {
        source: oneOf("persistentVolumeClaimName", "volumeSnapshotContentName"),
        volumeSnapshotClassName: {
          type: "string",
          "x-kubernetes-validations": [
            rule("size(self) > 0", "volumeSnapshotClassName must not be the empty string when set"),
          ],
        },
      },
      { required: ["source"] },
    ),
    status: object({
      boundVolumeSnapshotContentName: text,
      creationTime: time,
      error: snapshotError,
      readyToUse: flag,
      restoreSize: quantity,
      volumeGroupSnapshotName: text,
    }),
  },
  columns: [
    ["ReadyToUse", "boolean", ".status.readyToUse"],
    ["SourcePVC", "string", ".spec.source.persistentVolumeClaimName"],
    ["SourceSnapshotContent", "string", ".spec.source.volumeSnapshotContentName"],
    ["RestoreSize", "string", ".status.restoreSize"],
    ["SnapshotClass", "string", ".spec.volumeSnapshotClassName"],
    ["SnapshotContent", "string", ".status.boundVolumeSnapshotContentName"],
    ["CreationTime", "date", ".status.creationTime"],
    age,
  ],
};

const contents: Definition = {
  group: snapshotGroup,
  kind: "VolumeSnapshotContent",
  plural: "volumesnapshotcontents",
  shortNames: ["vsc", "vscs"],
  hasStatus: true,
  annotations: approval,
  required: ["spec"],
  properties: {
    spec: object(
      {
        deletionPolicy: policy,
        driver: text,
        source: oneOf("snapshotHandle", "volumeHandle"),
        sourceVolumeMode: fixed("sourceVolumeMode"),
        volumeSnapshotClassName: text,
        volumeSnapshotRef: {
          ...reference,
          "x-kubernetes-map-type": "atomic",
          "x-kubernetes-validations": [
            rule(
              "has(self.name) && has(self.__namespace__)",
              "both spec.volumeSnapshotRef.name and spec.volumeSnapshotRef.namespace must be set",
            ),
          ],
        },
      },
      {
        required: ["deletionPolicy", "driver", "source", "volumeSnapshotRef"],
        "x-kubernetes-validations": [
          rule(
            "!has(oldSelf.sourceVolumeMode) || has(self.sourceVolumeMode)",
            "sourceVolumeMode is required once set",
          ),
        ],
      },
    ),
    status: object({
      creationTime: { type: "integer", format: "int64" },
      error: snapshotError,
      readyToUse: flag,
      restoreSize: size,
      snapshotHandle: text,
      volumeGroupSnapshotHandle: text,
    }),
  },
  columns: [
    ["ReadyToUse", "boolean", ".status.readyToUse"],
    ["RestoreSize", "integer", ".status.restoreSize"],
    ["DeletionPolicy", "string", ".spec.deletionPolicy"],
    ["Driver", "string", ".spec.driver"],
    ["VolumeSnapshotClass", "string", ".spec.volumeSnapshotClassName"],
    ["VolumeSnapshot", "string", ".spec.volumeSnapshotRef.name"],
    ["VolumeSnapshotNamespace", "string", ".spec.volumeSnapshotRef.namespace"],
    age,
  ],
};

const classes: Definition = {
  group: snapshotGroup,
  kind: "VolumeSnapshotClass",
  plural: "volumesnapshotclasses",
  shortNames: ["vsclass", "vsclasses"],
  annotations: approval,
  required: ["deletionPolicy", "driver"],
  properties: { deletionPolicy: policy, driver: text, parameters: texts },
  columns: [["Driver", "string", ".driver"], ["DeletionPolicy", "string", ".deletionPolicy"], age],
};

const nodeReport = {
  phase: choice("Ready", "Failed", "Deleted"),
  handle: text,
  error: object({ code: text, message: text }),
};
const phase = ["Phase", "string", ".status.phase"] as const;
const node = ["Node", "string", ".spec.nodeName"] as const;

const volumes: Definition = {
  group: localGroup,
  kind: "LocalVolume",
  plural: "localvolumes",
  hasStatus: true,
  required: ["spec"],
  selectable: [".spec.nodeName"],
  properties: {
    spec: object(
      {
        nodeName: text,
        claim: text,
        requiredBytes: size,
        volumeMode: choice("Filesystem", "Block"),
        accessModes: { type: "array", items: text },
        fsType: text,
        source: object({ volume: text, snapshot: text }),
      },
      {
        required: ["nodeName", "claim", "requiredBytes", "volumeMode", "accessModes"],
        "x-kubernetes-validations": [rule("self == oldSelf", "spec is immutable")],
      },
    ),
    status: object({ ...nodeReport, capacityBytes: size, context: texts }),
  },
  columns: [node, ["Claim", "string", ".spec.claim"], phase, age],
};

const localSnapshots: Definition = {
  group: localGroup,
  kind: "LocalSnapshot",
  plural: "localsnapshots",
  hasStatus: true,
  required: ["spec"],
  selectable: [".spec.nodeName"],
  properties: {
    spec: object(
      { nodeName: text, content: text, volume: text },
      {
        required: ["nodeName", "content", "volume"],
        "x-kubernetes-validations": [rule("self == oldSelf", "spec is immutable")],
      },
    ),
    status: object({
      ...nodeReport,
      sizeBytes: size,
      createdMs: size,
    }),
  },
  columns: [node, ["Volume", "string", ".spec.volume"], phase, age],
};

/** The definitions in the form of the API. */
export const customDefinitions: readonly CustomResourceDefinition[] = [
  volumes,
  localSnapshots,
  classes,
  contents,
  snapshots,
].map(definitionOf);

function definitionOf(definition: Definition): CustomResourceDefinition {
  const { group, kind, plural, shortNames = [], annotations, properties, required } = definition;
  const identity = { apiVersion: text, kind: text, metadata: { type: "object" } };
  const columns: Columns = definition.columns.map(([name, type, jsonPath]) => ({
    name,
    type,
    jsonPath,
  }));
  const { selectable = [] } = definition;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}`, ...(annotations && { annotations }) },
    spec: {
      group,
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        ...(shortNames.length > 0 && { shortNames: [...shortNames] }),
      },
      scope: definition.isNamespaced ? "Namespaced" : "Cluster",
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: object({ ...identity, ...properties }, { required: [...required] }),
          },
          additionalPrinterColumns: columns,
          ...(definition.hasStatus && { subresources: { status: {} } }),
          ...(selectable.length > 0 && {
            selectableFields: selectable.map((jsonPath) => ({ jsonPath })),
          }),
        },
      ],
    },
  };
}
