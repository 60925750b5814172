import type { RollingUpdateStatefulSetStrategy, StatefulSetUpdateStrategy } from "#/api/apps/v1.ts";
import { JsonValue } from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import type { FieldReport } from "../../rules/field-report.ts";
import {
  intOrPercentValue,
  validateAtMostWhole,
  validateIntOrPercent,
} from "../../workloads/int-or-percent.ts";

/** Checks the update strategy. Upstream: pkg/apis/apps/validation/validation.go. */
export function validateUpdateStrategy(
  report: FieldReport,
  path: FieldPath,
  { type = "RollingUpdate", rollingUpdate }: StatefulSetUpdateStrategy = {},
  { allowRecreate }: { readonly allowRecreate: boolean },
): void {
  const at = path.child("updateStrategy");
  if (type === "RollingUpdate") {
    if (rollingUpdate) validateRollingUpdate(report, at.child("rollingUpdate"), rollingUpdate);
  } else if (type === "OnDelete" || (type === "Recreate" && allowRecreate)) {
    if (rollingUpdate === undefined) return;
    const detail = "only allowed for updateStrategy 'RollingUpdate'";
    report.invalid(at, "rollingUpdate", new JsonValue(shown(rollingUpdate)), detail);
  } else {
    const detail = allowRecreate
      ? "must be 'RollingUpdate', 'OnDelete', or 'Recreate'"
      : "must be 'RollingUpdate' or 'OnDelete'";
    const strategy = {
      Type: type,
      RollingUpdate: rollingUpdate ? shown(rollingUpdate) : null,
    };
    report.invalid(path, "updateStrategy", new JsonValue(strategy), detail);
  }
}

function validateRollingUpdate(
  report: FieldReport,
  path: FieldPath,
  { partition, maxUnavailable }: RollingUpdateStatefulSetStrategy,
): void {
  report.nonNegative(path, "partition", partition);
  if (maxUnavailable === undefined) return;
  validateIntOrPercent(report, path, "maxUnavailable", maxUnavailable);
  if (intOrPercentValue(maxUnavailable) === 0) {
    report.invalid(path, "maxUnavailable", new JsonValue(maxUnavailable), "cannot be 0");
  }
  validateAtMostWhole(report, path, "maxUnavailable", maxUnavailable);
}

/** As messages show it: in the form of upstream's internal type. */
const shown = ({ partition = 0, maxUnavailable }: RollingUpdateStatefulSetStrategy): object => ({
  Partition: partition,
  MaxUnavailable: maxUnavailable ?? null,
});
