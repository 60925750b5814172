import type { Toleration } from "#/api/core/v1.ts";
import { JsonValue } from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { validateLabelName } from "#/machinery/meta/label-selector.ts";
import { isLabelValue } from "#/machinery/meta/names.ts";
import { isDecimalInteger } from "#/machinery/meta/text-rules.ts";
import { parseInt64 } from "#/machinery/values/int64.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import type { FieldReport } from "../../rules/field-report.ts";

/** Upstream: pkg/apis/core/validation/validation.go. */

const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

/** Options of the rules. */
export interface TolerationOptions {
  readonly allowTolerationComparison: boolean;
}

/** Checks the tolerations of a Pod. */
export function validateTolerations(
  report: FieldReport,
  path: FieldPath,
  tolerations: readonly Toleration[] | undefined,
  options: TolerationOptions,
): void {
  tolerations?.forEach((toleration, index) => {
    const at = path.index(index);
    const { key, operator = "", effect = "", tolerationSeconds } = toleration;
    if (key) report.add(validateLabelName(key, at.child("key")));
    else if (operator !== "Exists") {
      const detail =
        'operator must be Exists when `key` is empty, which means "match all values and all keys"';
      report.invalid(at, "operator", new JsonValue(operator), detail);
    }
    if (tolerationSeconds !== undefined && effect !== "NoExecute") {
      const detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
      report.invalid(at, "effect", new JsonValue(effect), detail);
    }
    validateOperator(report, at, toleration, options);
    if (effect !== "" && !effects.includes(effect)) {
      report.notSupported(at, "effect", effect, effects);
    }
  });
}

function validateOperator(
  report: FieldReport,
  path: FieldPath,
  { operator = "Equal", value = "" }: Toleration,
  { allowTolerationComparison }: TolerationOptions,
): void {
  switch (operator) {
    case "Equal": {
      const problems = isLabelValue(value);
      if (problems.length > 0) report.invalid(path, "operator", value, problems.join(";"));
      return;
    }
    case "Exists":
      if (value === "") return;
      report.invalid(path, "operator", value, "value must be empty when `operator` is 'Exists'");
      return;
    case "Lt":
    case "Gt":
      if (allowTolerationComparison) {
        validateBound(report, path, value);
        return;
      }
      report.notSupported(path, "operator", operator, ["Equal", "Exists", "Lt", "Gt"]);
      return;
    default:
      report.notSupported(path, "operator", operator, ["Equal", "Exists"]);
  }
}

function validateBound(report: FieldReport, path: FieldPath, value: string): void {
  report.problems(path, "value", value, isDecimalInteger(value));
  if (parseInt64(value) !== undefined) return;
  const reason = /^[+-]?[0-9]+$/.test(value) ? "value out of range" : "invalid syntax";
  report.invalid(path, "value", value, `strconv.ParseInt: parsing ${goQuote(value)}: ${reason}`);
}
