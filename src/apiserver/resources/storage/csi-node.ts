import {
  type CSINode,
  type CSINodeDriver,
  type CSINodeSpec,
  csiNodes,
  type StorageHealth,
  type StorageHealthCondition,
} from "#/api/storage/v1.ts";
import { type FieldError, JsonValue } from "#/machinery/meta/field-error.ts";
import { type FieldPath, fieldPath } from "#/machinery/meta/field-path.ts";
import { isLongerThan, isQualifiedName, nameIsDNSSubdomain } from "#/machinery/meta/names.ts";
import { immutableMessage } from "#/machinery/meta/object-meta.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { repeatedIndices } from "#/std/base/by-key.ts";
import { type Decoded, type RequestContext, serve } from "../../registry/strategy.ts";
import { validateCSIDriverName } from "../core/pod-spec/volumes/remote-volumes.ts";
import { accessModes } from "../rules/access-modes.ts";
import { ageColumn, nameColumn } from "../rules/age.ts";
import { FieldReport } from "../rules/field-report.ts";
import { keepMetadata } from "../rules/keep-metadata.ts";
import { keepSpec, keepStatus } from "../rules/keep-spec.ts";
import { validateClusterMeta, validateMetaUpdate } from "../rules/object-meta-rules.ts";

const driversPath = fieldPath("spec", "drivers");
const maxNodeIdBytes = 256;

/** Upstream: pkg/registry/storage/csinode/strategy.go, pkg/apis/storage/validation/validation.go. */
export const csiNode = serve(csiNodes, {
  returnsDeletedObject: true,
  allowUnconditionalUpdate: false,
  prepareForCreate(object) {
    object.status = {};
  },
  prepareForUpdate(object, old, context) {
    keepStatus(object, old);
    dropHealth(object, old, context);
  },
  /** Upstream's store has no empty lists. */
  canonicalize({ spec }) {
    if (spec.drivers?.length === 0) delete (spec as Partial<CSINodeSpec>).drivers;
  },
  validate: (object) => validateCSINode(object).errors,
  validateUpdate(object, old, context) {
    const report = validateCSINode(object);
    validateSameDrivers(report, object, old, context);
    return report.errors;
  },
  resetFields: ["status"],
  status: {
    prepareForUpdate(object, old, context) {
      keepSpec(object, old);
      keepMetadata(object.metadata, old.metadata);
      dropHealth(object, old, context);
    },
    validateUpdate: validateStatus,
    resetFields: ["metadata", "spec"],
  },
  columns: [
    nameColumn,
    { name: "Drivers", type: "integer", cell: ({ spec }) => spec.drivers?.length ?? 0 },
    ageColumn,
  ],
});

function dropHealth(
  object: Decoded<CSINode>,
  old: Decoded<CSINode>,
  context: RequestContext,
): void {
  if (context.enabled("CSIVolumeHealth") || old.status?.storageHealth?.length) return;
  delete object.status?.storageHealth;
}

function validateCSINode({ metadata, spec }: Decoded<CSINode>): FieldReport {
  const report = new FieldReport();
  report.add(validateClusterMeta(metadata, nameIsDNSSubdomain));
  const names = new Set<string>();
  spec.drivers?.forEach((driver, index) => {
    validateDriver(report, driversPath.index(index), driver, names);
    names.add(driver.name);
  });
  return report;
}

function validateDriver(
  report: FieldReport,
  path: FieldPath,
  { name, nodeID, allocatable, topologyKeys = [] }: CSINodeDriver,
  names: ReadonlySet<string>,
): void {
  validateCSIDriverName(report, path, "name", name);
  if (nodeID === "") report.required(path, "nodeID");
  if (isLongerThan(nodeID, maxNodeIdBytes)) {
    report.invalid(path, "nodeID", nodeID, `must be ${maxNodeIdBytes} characters or less`);
  }
  report.nonNegative(path.child("allocatable"), "count", allocatable?.count);
  if (names.has(name)) report.duplicate(path, "name", name);
  const repeated = repeatedIndices(topologyKeys);
  topologyKeys.forEach((key, index) => {
    if (key === "") report.required(path, "");
    if (repeated.has(index)) report.duplicate(path, "", key);
    report.problems(path, "", key, isQualifiedName(key));
  });
}

/** An update of a node's driver may change only its number of attachable volumes. */
function validateSameDrivers(
  report: FieldReport,
  { spec }: Decoded<CSINode>,
  old: Decoded<CSINode>,
  context: RequestContext,
): void {
  const countMayChange = context.enabled("MutableCSINodeAllocatableCount");
  const fixed = (driver: CSINodeDriver): CSINodeDriver => {
    const { allocatable, ...rest } = driver;
    return countMayChange ? rest : driver;
  };
  const drivers = Map.groupBy(spec.drivers ?? [], ({ name }) => name);
  for (const before of old.spec.drivers ?? []) {
    for (const driver of drivers.get(before.name) ?? []) {
      if (deepEqual(fixed(driver), fixed(before))) continue;
      const shown = new JsonValue(shownDriver(fixed(driver)));
      report.invalid(driversPath, "", shown, immutableMessage);
    }
  }
}

/** As messages show it: in the form of upstream's internal type. */
const shownDriver = ({ name, nodeID, topologyKeys, allocatable }: CSINodeDriver): object => ({
  Name: name,
  NodeID: nodeID,
  TopologyKeys: topologyKeys ?? null,
  Allocatable: allocatable ? { Count: allocatable.count ?? null } : null,
});

const healthPath = fieldPath("status", "storageHealth");
const healthStatuses = ["StorageDegraded", "StorageUnreachable"];
const volumeModes = ["Filesystem", "Block"];
const maxHealthConditions = 16;

function validateStatus(
  { metadata, status }: Decoded<CSINode>,
  old: Decoded<CSINode>,
): FieldError[] {
  const report = new FieldReport();
  report.add(validateMetaUpdate(metadata, old.metadata));
  const names = new Set<string>();
  status?.storageHealth?.forEach((health, index) => {
    const at = healthPath.index(index);
    if (names.has(health.name)) report.duplicate(at, "", health.name);
    names.add(health.name);
    validateHealth(report, at, health);
  });
  return report.errors;
}

function validateHealth(
  report: FieldReport,
  path: FieldPath,
  { name, healthConditions = [] }: StorageHealth,
): void {
  validateCSIDriverName(report, path, "name", name);
  if (healthConditions.length > maxHealthConditions) {
    const counts = { actual: healthConditions.length, max: maxHealthConditions };
    report.tooMany(path, "healthConditions", counts);
    return;
  }
  healthConditions.forEach((condition, index) => {
    validateCondition(report, path.child("healthConditions").index(index), condition);
  });
}

const reasonPattern = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;
const reasonMessage =
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')";

function validateCondition(
  report: FieldReport,
  path: FieldPath,
  { status, reason, message = "", accessMode, volumeMode }: StorageHealthCondition,
): void {
  if (!healthStatuses.includes(status)) report.notSupported(path, "status", status, healthStatuses);
  if (reason === "") report.required(path, "reason");
  else {
    if (!reasonPattern.test(reason)) report.invalid(path, "reason", reason, reasonMessage);
    if (isLongerThan(reason, 256)) report.tooLong(path, "reason", 256);
  }
  if (isLongerThan(message, 1024)) report.tooLong(path, "message", 1024);
  if (accessMode !== undefined && !accessModes.includes(accessMode)) {
    report.notSupported(path, "accessMode", accessMode, accessModes);
  }
  if (volumeMode !== undefined && !volumeModes.includes(volumeMode)) {
    report.notSupported(path, "volumeMode", volumeMode, volumeModes);
  }
}
