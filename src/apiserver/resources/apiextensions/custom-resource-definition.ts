import {
  type CustomResourceDefinition,
  customResourceDefinitions,
} from "#/api/apiextensions/v1.ts";
import { deepCopy } from "#/machinery/objects/deep-copy.ts";
import { formatTime } from "#/machinery/time/time.ts";
import { type Column, type Decoded, serve } from "../../registry/strategy.ts";
import { nameColumn } from "../rules/age.ts";
import { countGeneration, startGeneration } from "../rules/generation.ts";
import { isTrue, withCondition } from "./condition.ts";
import { fromV1beta1 } from "./from-v1beta1.ts";
import { schemaWarnings } from "./schema-traits.ts";
import {
  validateDefinition,
  validateDefinitionStatus,
  validateDefinitionUpdate,
} from "./validate-definition.ts";

type Definition = Decoded<CustomResourceDefinition>;

/**
 * Upstream: staging/src/k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition,
 * staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1/defaults.go.
 */
export const customResourceDefinition = serve(customResourceDefinitions, {
  setDefaults(crd) {
    const { spec } = crd;
    const { names } = spec;
    if (names.kind) {
      names.singular ||= names.kind.toLowerCase();
      names.listKind ||= `${names.kind}List`;
    }
    spec.conversion ??= { strategy: "None" };
    const service = spec.conversion.webhook?.clientConfig?.service;
    if (service) service.port ??= 443;
  },
  prepareForCreate(crd) {
    startGeneration(crd);
    crd.status = { acceptedNames: { plural: "", kind: "" } };
    storeVersion(crd);
  },
  prepareForUpdate(crd, old) {
    if (old.status) crd.status = deepCopy(old.status);
    else delete crd.status;
    countGeneration(crd, old);
    storeVersion(crd);
  },
  validate: (crd) => validateDefinition(crd),
  validateUpdate: (crd, old) => validateDefinitionUpdate(crd, old),
  warnings: (crd, old) => schemaWarnings(crd.spec, old?.spec),
  allowUnconditionalUpdate: false,
  upstreamStorageVersion: "v1beta1",
  fromUpstreamStorage: fromV1beta1,
  deletionFinalizers: ["customresourcecleanup.apiextensions.k8s.io"],
  onDeleteBegun(crd) {
    // Upstream sets the deletion fields itself: no grace period, and the generation stays.
    const { metadata } = crd;
    delete metadata.deletionGracePeriodSeconds;
    if (metadata.generation) metadata.generation--;
    const terminating = {
      type: "Terminating",
      status: "True",
      reason: "InstanceDeletionPending",
      message:
        "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
    };
    const now = metadata.deletionTimestamp ?? formatTime(0);
    crd.status = {
      acceptedNames: { plural: "", kind: "" },
      ...crd.status,
      conditions: withCondition(crd.status?.conditions ?? [], terminating, now),
    };
  },
  status: {
    prepareForUpdate(crd, old) {
      crd.spec = deepCopy(old.spec);
    },
    validateUpdate: (crd) => validateDefinitionStatus(crd),
    resetFields: ["spec"],
  },
  resetFields: ["status"],
  returnsDeletedObject: true,
  columns: columns(),
});

/** Records that objects are stored in this version too. */
function storeVersion(crd: Definition): void {
  const name = crd.spec.versions?.find(({ storage }) => storage)?.name;
  const stored = crd.status?.storedVersions ?? [];
  if (name === undefined || stored.includes(name)) return;
  crd.status = {
    acceptedNames: { plural: "", kind: "" },
    ...crd.status,
    storedVersions: [...stored, name],
  };
}

function columns(): Column<CustomResourceDefinition>[] {
  return [
    nameColumn,
    { name: "Scope", type: "string", cell: ({ spec }) => spec.scope },
    { name: "Versions", type: "string", cell: servedVersions },
    { name: "Created At", type: "date", cell: ({ metadata }) => metadata.creationTimestamp ?? "" },
    { name: "Group", type: "string", priority: 1, cell: ({ spec }) => spec.group },
    { name: "Kind", type: "string", priority: 1, cell: ({ spec }) => spec.names.kind },
    {
      name: "ShortNames",
      type: "string",
      priority: 1,
      cell: ({ spec }) => spec.names.shortNames?.join(",") ?? "",
    },
    {
      name: "Established",
      type: "boolean",
      priority: 1,
      cell: (crd) => isTrue(crd, "Established"),
    },
  ];
}

function servedVersions({ spec }: Definition): string {
  return spec.versions
    .filter(({ served }) => served)
    .map(({ name, storage }) => (storage ? `${name}(storage)` : name))
    .sort()
    .join(",");
}
