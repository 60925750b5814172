import type { Toleration } from "#/api/core/v1.ts";
import { type RuntimeClass, runtimeClasses } from "#/api/node/v1.ts";
import { type FieldError, JsonValue } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { validateLabels } from "#/machinery/meta/label-selector.ts";
import { isShortName, nameIsDNSSubdomain } from "#/machinery/meta/names.ts";
import {
  immutableMessage,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "#/machinery/meta/object-meta.ts";
import { serve } from "../../registry/strategy.ts";
import { roundResourceList } from "../core/pod-spec/base/resource-list-defaults.ts";
import { templateValidationOptions } from "../core/pod-spec/pod-validation-options.ts";
import { validateOverhead } from "../core/pod-spec/validate-resources.ts";
import { validateTolerations } from "../core/pod-spec/validate-tolerations.ts";
import { ageColumn, nameColumn } from "../rules/age.ts";
import { FieldReport } from "../rules/field-report.ts";
import { deprecatedNodeLabel } from "../rules/node-selector.ts";

const handlerPath = fieldPath("handler");
const metaRules = { namespaced: false, name: nameIsDNSSubdomain };
const schedulingPath = fieldPath("scheduling");

/**
 * Upstream: pkg/registry/node/runtimeclass/strategy.go, pkg/apis/node/validation/validation.go,
 * pkg/apis/node/v1/zz_generated.validations.go, pkg/api/node/util.go.
 */
export const runtimeClass = serve(runtimeClasses, {
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  setDefaults: ({ overhead }) => roundResourceList(overhead?.podFixed),
  validate(object) {
    const report = new FieldReport();
    report.add(validateObjectMeta(object.metadata, metaRules, fieldPath("metadata")));
    validateParts(report, object);
    validateHandler(report, object);
    return report.errors;
  },
  validateUpdate(object, old) {
    const { handler, metadata } = object;
    const report = new FieldReport();
    report.add(validateObjectMeta(metadata, metaRules, fieldPath("metadata")));
    if (handler !== "") report.problems(handlerPath, "", handler, isShortName(handler));
    validateParts(report, object);
    report.add(validateObjectMetaUpdate(metadata, old.metadata, fieldPath("metadata")));
    if (handler !== old.handler) {
      report.invalid(handlerPath, "", new JsonValue(null), immutableMessage);
    }
    if (handler === "") report.required(handlerPath, "");
    return report.errors;
  },
  warnings,
  columns: [
    nameColumn,
    { name: "Handler", type: "string", cell: ({ handler }) => handler },
    ageColumn,
  ],
});

function validateParts(report: FieldReport, { overhead, scheduling }: RuntimeClass): void {
  if (overhead) report.add(validatePodFixed(overhead.podFixed ?? {}));
  if (!scheduling) return;
  const { nodeSelector, tolerations = [] } = scheduling;
  report.add(validateLabels(nodeSelector, schedulingPath.child("nodeSelector")));
  const at = schedulingPath.child("tolerations");
  validateTolerations(report, at, tolerations, { allowTolerationComparison: false });
  validateUnique(report, tolerations);
}

/** Rules that upstream declares with the type. */
function validateHandler(report: FieldReport, { handler }: RuntimeClass): void {
  if (handler === "") report.required(handlerPath, "");
  else report.problems(handlerPath, "", handler, isShortName(handler));
}

function validatePodFixed(podFixed: Readonly<Record<string, string>>): readonly FieldError[] {
  const report = new FieldReport();
  const nothing = { enabled: () => false, allowPrivileged: false };
  validateOverhead(podFixed, fieldPath("overhead"), {
    report,
    options: templateValidationOptions(nothing),
    volumes: new Map(),
    claimNames: new Set(),
    gracePeriodSeconds: undefined,
    os: undefined,
    restartPolicy: undefined,
    hostUsers: true,
  });
  return report.errors;
}

function validateUnique(report: FieldReport, tolerations: readonly Toleration[]): void {
  const seen = new Set<string>();
  tolerations.forEach((toleration, index) => {
    const { key = "", operator = "", value = "", effect = "", tolerationSeconds } = toleration;
    const identity = JSON.stringify([key, operator, value, effect]);
    if (seen.has(identity)) {
      const shown = {
        Key: key,
        Operator: operator,
        Value: value,
        Effect: effect,
        TolerationSeconds: tolerationSeconds ?? null,
      };
      report.duplicate(schedulingPath.child("tolerations").index(index), "", shown);
    }
    seen.add(identity);
  });
}

function warnings({ scheduling }: RuntimeClass): string[] {
  return Object.keys(scheduling?.nodeSelector ?? {}).flatMap((key) => {
    const message = deprecatedNodeLabel(key);
    const path = schedulingPath.child("nodeSelector");
    return message === undefined ? [] : [`${path}: ${message}`];
  });
}
