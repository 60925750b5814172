import {
  type Device,
  type ResourceSlice,
  type ResourceSliceSpec,
  resourceSlices,
} from "#/api/resource/v1.ts";
import { resourceSlices as resourceSlicesBeta1 } from "#/api/resource/v1beta1.ts";
import { resourceSlices as resourceSlicesBeta2 } from "#/api/resource/v1beta2.ts";
import { type FieldError, invalid, required } from "#/machinery/meta/field-error.ts";
import { type FieldPath, fieldPath } from "#/machinery/meta/field-path.ts";
import { nameIsDNSSubdomain } from "#/machinery/meta/names.ts";
import { immutableMessage } from "#/machinery/meta/object-meta.ts";
import { append } from "#/std/base/append.ts";
import { firstByKey } from "#/std/base/by-key.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import {
  type ApiObject,
  type Decoded,
  type RequestContext,
  serve,
} from "../../registry/strategy.ts";
import { ageColumn, nameColumn } from "../rules/age.ts";
import { withDeclared } from "../rules/declared-rules.ts";
import { countGeneration, startGeneration } from "../rules/generation.ts";
import { groupInternalForm } from "../rules/internal-form.ts";
import { validateNodeSelector } from "../rules/node-selector.ts";
import { validateClusterMeta, validateMetaUpdate } from "../rules/object-meta-rules.ts";
import { validateList } from "./claim-spec.ts";
import { deviceFieldsOf, unwrapDevices, wrapDevices } from "./convert-beta.ts";
import { declaredSliceErrors } from "./declared-slice.ts";
import { validateOwnDriverName, validatePoolName } from "./device-names.ts";
import { stampTaints } from "./device-taints.ts";
import { dropDisabledSliceFields } from "./drop-disabled-fields.ts";
import { validateCounterSet, validateDevice } from "./validate-device.ts";

type Slice = Decoded<ResourceSlice>;

const specPath = fieldPath("spec");
const maxDevices = 128;
const maxAdvancedDevices = 64;
const maxCounterSets = 8;
const specOf = (object: ApiObject) => (object as Slice).spec;

/**
 * Upstream: pkg/registry/resource/resourceslice/strategy.go,
 * pkg/apis/resource/validation/validation.go.
 */
export const resourceSlice = serve(resourceSlices, {
  versions: [
    { handle: resourceSlicesBeta2 },
    {
      handle: resourceSlicesBeta1,
      toStored(object) {
        unwrapDevices(specOf(object));
        return object;
      },
      fromStored(object) {
        wrapDevices(specOf(object));
        return object;
      },
    },
  ],
  returnsDeletedObject: true,
  prepareForCreate(object, context) {
    startGeneration(object);
    dropDisabledSliceFields(object.spec, undefined, context);
    for (const { taints } of object.spec.devices ?? []) stampTaints(taints, context.now);
  },
  prepareForUpdate(object, old, context) {
    const { now } = context;
    for (const { taints } of object.spec.devices ?? []) stampTaints(taints, now);
    countGeneration(object, old);
    dropDisabledSliceFields(object.spec, old.spec, context);
  },
  validate: ({ metadata, spec }, context) => [
    ...validateClusterMeta(metadata, nameIsDNSSubdomain),
    ...validateSpec(spec, undefined, context),
  ],
  validateUpdate: ({ metadata, spec }, old, context) => [
    ...validateMetaUpdate(metadata, old.metadata),
    ...validateSpec(spec, old.spec, context),
  ],
  warnings({ spec: { driver } }) {
    if (driver === driver.toLowerCase()) return [];
    const problem = `${goQuote(driver)} contains uppercase characters`;
    return [`spec.driver: driver names should be lowercase; ${problem}`];
  },
  selectableFields: {
    "spec.nodeName": ({ spec }) => spec.nodeName ?? "",
    "spec.driver": ({ spec }) => spec.driver,
    "spec.pool.name": ({ spec }) => spec.pool.name,
  },
  unknownFieldMessage: (field) =>
    `field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: ${field}`,
  indexedField: "spec.nodeName",
  columns: [
    nameColumn,
    { name: "Node", type: "string", cell: ({ spec }) => spec.nodeName ?? "" },
    { name: "Driver", type: "string", cell: ({ spec }) => spec.driver },
    { name: "Pool", type: "string", cell: ({ spec }) => spec.pool.name },
    ageColumn,
  ],
});

const validateSpec = (
  spec: ResourceSliceSpec,
  old: ResourceSliceSpec | undefined,
  { apiVersion }: RequestContext,
): FieldError[] =>
  withDeclared(
    programmedErrors(spec, old),
    declaredSliceErrors(specPath, spec, old),
    deviceFieldsOf(apiVersion),
  );

function programmedErrors(
  spec: ResourceSliceSpec,
  old: ResourceSliceSpec | undefined,
): FieldError[] {
  const { driver = "", devices = [], sharedCounters } = spec;
  const errors = [
    ...validateOwnDriverName(specPath.child("driver"), driver),
    ...validatePool(spec, specPath.child("pool")),
    ...(old ? validateFixed(spec, old) : []),
    ...validateNodes(spec),
  ];
  if (sharedCounters && spec.devices) {
    const detail = "only one of `sharedCounters` or `devices` is allowed";
    errors.push(invalid(specPath, "", detail));
  }
  const isAdvanced = devices.some(
    ({ taints, consumesCounters }) => taints?.length || consumesCounters?.length,
  );
  const max = isAdvanced ? maxAdvancedDevices : maxDevices;
  const byName = ({ name }: Device) => name;
  const before = firstByKey(old?.devices ?? [], byName);
  errors.push(
    ...validateList(
      specPath.child("devices"),
      devices,
      max,
      (device, path) =>
        validateDevice(device, path, {
          perDeviceNodeSelection: spec.perDeviceNodeSelection === true,
          old: before.get(device.name),
        }),
      byName,
      byName,
    ),
    ...validateList(
      specPath.child("sharedCounters"),
      sharedCounters ?? [],
      maxCounterSets,
      validateCounterSet,
      ({ name }) => name,
      ({ name }) => name,
    ),
  );
  return errors;
}

function validatePool({ pool }: ResourceSliceSpec, path: FieldPath): FieldError[] {
  const { name = "", resourceSliceCount = 0, generation = 0 } = pool ?? {};
  const errors = validatePoolName(path.child("name"), name);
  if (resourceSliceCount <= 0) {
    const at = path.child("resourceSliceCount");
    errors.push(invalid(at, resourceSliceCount, "must be greater than zero"));
  }
  if (generation < 0) {
    const detail = "must be greater than or equal to zero";
    errors.push(invalid(path.child("generation"), generation, detail));
  }
  return errors;
}

function validateFixed(spec: ResourceSliceSpec, old: ResourceSliceSpec): FieldError[] {
  const fixed = (path: FieldPath, now: unknown, before: unknown) =>
    now === before ? [] : [invalid(path, now ?? null, immutableMessage)];
  return [
    ...fixed(specPath.child("pool").child("name"), spec.pool.name, old.pool.name),
    ...fixed(specPath.child("driver"), spec.driver, old.driver),
    ...fixed(specPath.child("nodeName"), spec.nodeName, old.nodeName),
  ];
}

const choices = ["nodeName", "nodeSelector", "allNodes", "perDeviceNodeSelection"] as const;

function validateNodes(spec: ResourceSliceSpec): FieldError[] {
  const { nodeName, nodeSelector } = spec;
  const errors: FieldError[] = [];
  const path = specPath.child("nodeName");
  if (nodeName === "") {
    errors.push(invalid(path, "", "must be either unset or set to a non-empty string"));
  } else if (nodeName !== undefined) {
    const problems = nameIsDNSSubdomain(nodeName, false);
    append(
      errors,
      problems.map((problem) => invalid(path, nodeName, problem)),
    );
  }
  if (nodeSelector) {
    const at = specPath.child("nodeSelector");
    append(errors, validateNodeSelector(nodeSelector, at, { allowInvalidValues: false }));
    if (nodeSelector.nodeSelectorTerms?.length !== 1) {
      const terms = groupInternalForm("core/v1", "NodeSelector", nodeSelector);
      const shown = (terms as { NodeSelectorTerms?: unknown }).NodeSelectorTerms ?? null;
      const detail = "must have exactly one node selector term";
      errors.push(invalid(at.child("nodeSelectorTerms"), shown, detail));
    }
  }
  for (const field of ["allNodes", "perDeviceNodeSelection"] as const) {
    if (spec[field] !== false) continue;
    errors.push(invalid(specPath.child(field), false, "must be either unset or set to true"));
  }
  const set = choices.filter((field) => spec[field]).map((field) => `\`${field}\``);
  const detail = `exactly one of ${choices.map((field) => `\`${field}\``).join(", ")} is required`;
  if (set.length === 0) errors.push(required(specPath, detail));
  if (set.length > 1) {
    const shown = `{${set.join(", ")}}`;
    errors.push(invalid(specPath, shown, `${detail}, but multiple fields are set`));
  }
  return errors;
}
