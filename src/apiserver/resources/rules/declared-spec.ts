import type { Condition } from "#/api/meta/v1.ts";
import { validateConditions } from "#/machinery/meta/conditions.ts";
import type { FieldError } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { nameIsDNSSubdomain } from "#/machinery/meta/names.ts";
import type { Decoded, RequestContext, Strategy, ViewStrategy } from "../../registry/strategy.ts";
import { type StructRules, validateDeclared } from "./declared-rules.ts";
import { FieldReport } from "./field-report.ts";
import { keepMetadata } from "./keep-metadata.ts";
import { keepSpec } from "./keep-spec.ts";
import { validateMetaUpdate, validateNamespacedMeta } from "./object-meta-rules.ts";

interface Specified {
  readonly spec: object;
}

interface Conditional {
  readonly status?: { readonly conditions?: readonly Condition[] | undefined } | undefined;
}

type Check<T> = (report: FieldReport, object: Decoded<T>, old: Decoded<T> | undefined) => void;

/** Validation of a namespaced object with declared rules for its spec, and additional checks. */
export function declaredSpec<T extends Specified>(
  rules: StructRules,
  { first, last }: { readonly first?: Check<T>; readonly last?: Check<T> } = {},
): Required<Pick<Strategy<T>, "validate" | "validateUpdate">> {
  const check = (
    object: Decoded<T>,
    old: Decoded<T> | undefined,
    { enabled }: Pick<RequestContext, "enabled">,
  ): FieldError[] => {
    const report = new FieldReport();
    if (old) report.add(validateMetaUpdate(object.metadata, old.metadata));
    else report.add(validateNamespacedMeta(object.metadata, nameIsDNSSubdomain));
    first?.(report, object, old);
    const change = { value: object.spec, old: old?.spec, rules };
    validateDeclared(report, fieldPath("spec"), change, { isUpdate: old !== undefined, enabled });
    last?.(report, object, old);
    return report.errors;
  };
  return {
    validate: (object, context) => check(object, undefined, context),
    validateUpdate: check,
  };
}

/** The strategy of a status endpoint that writes only the status, where only conditions have rules. */
export function conditionsStatus<T extends Conditional>(): ViewStrategy<T> {
  return {
    prepareForUpdate(object, old) {
      keepSpec(object, old);
      keepMetadata(object.metadata, old.metadata);
    },
    validateUpdate: ({ metadata, status }, old) => [
      ...validateMetaUpdate(metadata, old.metadata),
      ...validateConditions(status?.conditions, fieldPath("status", "conditions")),
    ],
    resetFields: ["metadata", "spec"],
  };
}
