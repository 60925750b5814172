import { deviceTaintRules } from "#/api/resource/v1.ts";
import { deviceTaintRules as deviceTaintRulesAlpha } from "#/api/resource/v1alpha3.ts";
import {
  type DeviceTaintRule,
  deviceTaintRules as deviceTaintRulesBeta2,
} from "#/api/resource/v1beta2.ts";
import { validateConditions } from "#/machinery/meta/conditions.ts";
import type { FieldError } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { nameIsDNSSubdomain } from "#/machinery/meta/names.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { type Decoded, serve } from "../../registry/strategy.ts";
import { ageColumn, nameColumn, timeSince } from "../rules/age.ts";
import { countGeneration, startGeneration } from "../rules/generation.ts";
import { keepStatus } from "../rules/keep-spec.ts";
import { validateClusterMeta, validateMetaUpdate } from "../rules/object-meta-rules.ts";
import { validateLabelName, validateOwnDriverName, validatePoolName } from "./device-names.ts";
import { stampTaints, validateDeviceTaint } from "./device-taints.ts";

type Rule = Decoded<DeviceTaintRule>;

const specPath = fieldPath("spec");

/**
 * Upstream: pkg/registry/resource/devicetaintrule/strategy.go,
 * pkg/apis/resource/validation/validation.go.
 */
export const deviceTaintRule = serve(deviceTaintRulesBeta2, {
  versions: [{ handle: deviceTaintRules }, { handle: deviceTaintRulesAlpha }],
  returnsDeletedObject: true,
  prepareForCreate(object, { now }) {
    object.status = {};
    startGeneration(object);
    stampTaints([object.spec.taint], now);
  },
  prepareForUpdate(object, old, { now }) {
    keepStatus(object, old);
    if (!object.spec.taint.timeAdded && isSameTaint(object, old) && old.spec.taint.timeAdded) {
      object.spec.taint.timeAdded = old.spec.taint.timeAdded;
    }
    stampTaints([object.spec.taint], now);
    countGeneration(object, old);
  },
  validate: (object) => [
    ...validateClusterMeta(object.metadata, nameIsDNSSubdomain),
    ...validateSpec(object, undefined),
  ],
  validateUpdate: (object, old) => [
    ...validateMetaUpdate(object.metadata, old.metadata),
    ...validateSpec(object, old),
  ],
  resetFields: ["status"],
  status: {
    validateUpdate: ({ metadata, status }, old) => [
      ...validateMetaUpdate(metadata, old.metadata),
      ...validateConditions(status?.conditions, fieldPath("status", "conditions")),
    ],
    resetFields: ["metadata", "spec"],
  },
  columns: [
    nameColumn,
    { name: "Key", type: "string", cell: ({ spec }) => spec.taint.key },
    { name: "Value", type: "string", cell: ({ spec }) => spec.taint.value ?? "" },
    { name: "Effect", type: "string", cell: ({ spec }) => spec.taint.effect },
    {
      name: "TimeAdded",
      type: "string",
      cell: ({ spec: { taint } }, now) => (taint.timeAdded ? timeSince(taint.timeAdded, now) : ""),
    },
    ageColumn,
  ],
});

function isSameTaint({ spec }: Rule, old: Rule): boolean {
  const { timeAdded: _, ...taint } = spec.taint;
  const { timeAdded: __, ...before } = old.spec.taint;
  return deepEqual(taint, before);
}

function validateSpec({ spec }: Rule, old: Rule | undefined): FieldError[] {
  const { driver, pool, device } = spec.deviceSelector ?? {};
  const path = specPath.child("deviceSelector");
  return [
    ...(driver === undefined ? [] : validateOwnDriverName(path.child("driver"), driver)),
    ...(pool === undefined ? [] : validatePoolName(path.child("pool"), pool)),
    ...(device === undefined ? [] : validateLabelName(path.child("device"), device)),
    ...validateDeviceTaint(specPath.child("taint"), spec.taint, old?.spec.taint),
  ];
}
