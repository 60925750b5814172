import { randomUUID } from "node:crypto";
import { type LimitRange, type LimitRangeItem, limitRanges } from "#/api/core/v1.ts";
import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  JsonValue,
  required,
} from "#/machinery/meta/field-error.ts";
import { type FieldPath, fieldPath } from "#/machinery/meta/field-path.ts";
import { isQualifiedName, nameIsDNSSubdomain } from "#/machinery/meta/names.ts";
import { append } from "#/std/base/append.ts";
import { type Decoded, serve } from "../../registry/strategy.ts";
import { validateNamespacedMeta } from "../rules/object-meta-rules.ts";
import {
  isExtendedResource,
  isNativeResource,
  isStandardContainerResource,
  resourceNameProblems,
} from "../rules/resource-names.ts";
import { validateLimitAmounts } from "./limit-amounts.ts";
import { roundResourceList } from "./pod-spec/base/resource-list-defaults.ts";

/** Upstream: pkg/registry/core/limitrange/strategy.go, pkg/apis/core/validation/validation.go. */
export const limitRange = serve(limitRanges, {
  allowCreateOnUpdate: true,
  setDefaults({ spec }) {
    for (const item of spec.limits ?? []) setItemDefaults(item);
  },
  prepareForCreate({ metadata }) {
    metadata.name ||= randomUUID();
  },
  validate: validateLimitRange,
  validateUpdate: validateLimitRange,
  canonicalize({ spec }: { spec: Partial<LimitRange["spec"]> }) {
    // Upstream's store has no empty lists.
    if (spec.limits?.length === 0) delete spec.limits;
  },
});

/** Defaults for containers: the limit is the maximum, the request is the default limit or else the minimum. */
function setItemDefaults(item: LimitRangeItem): void {
  if (item.type === "Container") {
    item.default = { ...item.max, ...item.default };
    item.defaultRequest = { ...item.min, ...item.default, ...item.defaultRequest };
  }
  roundResourceList(item.max);
  roundResourceList(item.min);
  roundResourceList(item.default);
  roundResourceList(item.defaultRequest);
  roundResourceList(item.maxLimitRequestRatio);
}

function validateLimitRange({ metadata, spec }: Decoded<LimitRange>): FieldError[] {
  const errors = validateNamespacedMeta(metadata, nameIsDNSSubdomain);
  const seen = new Set<string>();
  spec.limits?.forEach((item, index) => {
    const path = fieldPath("spec", "limits").index(index);
    append(errors, validateType(item.type, path.child("type")));
    if (seen.has(item.type)) {
      errors.push(duplicate(path.child("type"), new JsonValue(item.type)));
    }
    seen.add(item.type);
    append(errors, validateItem(item, path));
  });
  return errors;
}

function validateType(type: string, path: FieldPath): FieldError[] {
  const problems = isQualifiedName(type);
  if (problems.length > 0) return problems.map((problem) => invalid(path, type, problem));
  const standard = type === "Pod" || type === "Container" || type === "PersistentVolumeClaim";
  if (standard || type.includes("/")) return [];
  return [invalid(path, type, "must be a standard limit type or fully qualified")];
}

function validateItem(item: LimitRangeItem, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const names = (field: "max" | "min" | "default" | "defaultRequest" | "maxLimitRequestRatio") => {
    for (const name in item[field]) {
      append(errors, validateResourceName(item.type, name, path.child(field).key(name)));
    }
  };
  names("max");
  names("min");
  if (item.type === "Pod") {
    for (const field of ["default", "defaultRequest"] as const) {
      if (Object.keys(item[field] ?? {}).length === 0) continue;
      errors.push(forbidden(path.child(field), "may not be specified when `type` is 'Pod'"));
    }
  } else {
    names("default");
    names("defaultRequest");
  }
  if (item.type === "PersistentVolumeClaim" && !item.min?.["storage"] && !item.max?.["storage"]) {
    const detail = "either minimum or maximum storage value is required, but neither was provided";
    errors.push(required(path.child("limits"), detail));
  }
  names("maxLimitRequestRatio");
  append(errors, validateLimitAmounts(item, path));
  return errors;
}

function validateResourceName(type: string, name: string, path: FieldPath): FieldError[] {
  const errors = resourceNameProblems(name).map((problem) => invalid(path, name, problem));
  if (type !== "Pod" && type !== "Container") return errors;
  if (!name.includes("/")) {
    if (isStandardContainerResource(name)) return errors;
    return [...errors, invalid(path, name, "must be a standard resource for containers")];
  }
  if (isNativeResource(name) || isExtendedResource(name)) return errors;
  return [...errors, invalid(path, name, "doesn't follow extended resource name standard")];
}
