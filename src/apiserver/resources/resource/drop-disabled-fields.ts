import type {
  Device,
  DeviceSubRequest,
  ExactDeviceRequest,
  ResourceClaimSpec,
  ResourceSliceSpec,
} from "#/api/resource/v1.ts";
import { deepCopy } from "#/machinery/objects/deep-copy.ts";
import type { RequestContext } from "../../registry/strategy.ts";

/**
 * Drops fields of disabled features, unless the old object has them.
 *
 * Upstream: pkg/registry/resource/resourceslice/strategy.go, pkg/api/resourceclaimspec/util.go.
 */
interface Feature<T> {
  readonly gate: string;
  /** Deletes the feature's fields and returns whether there were any. */
  drop(spec: T): boolean;
}

const listKinds = ["bools", "ints", "strings", "versions"] as const;

const sliceFeatures: readonly Feature<ResourceSliceSpec>[] = [
  { gate: "DRADeviceTaints", drop: ofDevices(["taints"]) },
  {
    gate: "DRAPartitionableDevices",
    drop: (spec) =>
      any([
        dropFields(spec, ["sharedCounters", "perDeviceNodeSelection"]),
        ofDevices(["consumesCounters", "nodeName", "nodeSelector", "allNodes"])(spec),
      ]),
  },
  {
    gate: "DRADeviceBindingConditions",
    drop: ofDevices(["bindingConditions", "bindingFailureConditions", "bindsToNode"]),
  },
  {
    gate: "DRAConsumableCapacity",
    drop: (spec) =>
      any([
        ofDevices(["allowMultipleAllocations"])(spec),
        ...devicesOf(spec).flatMap(({ capacity = {} }) =>
          Object.values(capacity).map((one) => dropFields(one, ["requestPolicy"])),
        ),
      ]),
  },
  {
    gate: "DRADeviceCompatibilityGroups",
    drop: (spec) =>
      any(
        devicesOf(spec).flatMap(({ consumesCounters = [] }) =>
          consumesCounters.map((one) => dropFields(one, ["compatibilityGroups"])),
        ),
      ),
  },
  { gate: "DRANodeAllocatableResources", drop: ofDevices(["nodeAllocatableResources"]) },
  {
    gate: "DRAListTypeAttributes",
    drop: (spec) =>
      any(
        devicesOf(spec).flatMap(({ attributes = {} }) =>
          Object.values(attributes).map((one) => dropFields(one, listKinds)),
        ),
      ),
  },
  {
    gate: "DRAPartitionableDevicesType",
    drop: (spec) => dropFields(spec, ["partitionTypeAttribute"]),
  },
  { gate: "DRAOptionalNodeOperations", drop: (spec) => dropFields(spec, ["skipNodeOperations"]) },
];

const claimFeatures: readonly Feature<ResourceClaimSpec>[] = [
  {
    gate: "DRADerivedAttributes",
    drop: (spec) =>
      any(exactRequestsOf(spec).map((request) => dropFields(request, ["derivedAttributes"]))),
  },
  {
    gate: "DRAConsumableCapacity",
    drop: (spec) =>
      any([
        ...exactRequestsOf(spec).map((request) => dropFields(request, ["capacity"])),
        ...(spec.devices?.constraints ?? []).map((one) => dropFields(one, ["distinctAttribute"])),
      ]),
  },
];

/** Drops the fields of disabled features from a slice. */
export const dropDisabledSliceFields = (
  spec: ResourceSliceSpec,
  old: ResourceSliceSpec | undefined,
  context: Pick<RequestContext, "enabled">,
): void => dropDisabled(sliceFeatures, spec, old, context);

/** Drops the fields of disabled features from a claim. */
export const dropDisabledClaimFields = (
  spec: ResourceClaimSpec,
  old: ResourceClaimSpec | undefined,
  context: Pick<RequestContext, "enabled">,
): void => dropDisabled(claimFeatures, spec, old, context);

function dropDisabled<T>(
  features: readonly Feature<T>[],
  spec: T,
  old: T | undefined,
  { enabled }: Pick<RequestContext, "enabled">,
): void {
  for (const { gate, drop } of features) {
    if (!enabled(gate) && !(old && drop(deepCopy(old)))) drop(spec);
  }
}

const any = (found: readonly boolean[]): boolean => found.includes(true);
const devicesOf = ({ devices = [] }: ResourceSliceSpec): readonly Device[] => devices;

function exactRequestsOf({
  devices,
}: ResourceClaimSpec): (ExactDeviceRequest | DeviceSubRequest)[] {
  return (devices?.requests ?? []).flatMap(({ exactly, firstAvailable = [] }) =>
    exactly ? [exactly, ...firstAvailable] : firstAvailable,
  );
}

function ofDevices(fields: readonly (keyof Device)[]): (spec: ResourceSliceSpec) => boolean {
  return (spec) => any(devicesOf(spec).map((device) => dropFields(device, fields)));
}

function dropFields<T extends object>(value: T, fields: readonly (keyof T)[]): boolean {
  const known = fields.filter((field) => value[field] !== undefined);
  for (const field of known) delete value[field];
  return known.length > 0;
}
