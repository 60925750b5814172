import type { EvictionResponder } from "#/api/core/v1.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { isPrefixedLabelKey } from "#/machinery/meta/names.ts";
import type { FieldReport } from "../../rules/field-report.ts";

const maxResponders = 10;
const maxPriority = 100_000;

/** Checks the eviction responders of a Pod. Upstream: pkg/apis/core/v1/zz_generated.validations.go. */
export function validateEvictionResponders(
  report: FieldReport,
  path: FieldPath,
  responders: readonly EvictionResponder[] | undefined,
): void {
  if (!responders?.length) return;
  if (responders.length > maxResponders) {
    report.tooMany(path, "", { actual: responders.length, max: maxResponders });
    return;
  }
  responders.forEach((responder, index) => {
    if (responders.findIndex(({ name }) => name === responder.name) === index) return;
    report.duplicate(path.index(index), "", responder);
  });
  responders.forEach(({ name, priority }, index) => {
    const at = path.index(index);
    if (!name) report.required(at, "name");
    else report.problems(at, "name", name, isPrefixedLabelKey(name));
    if (priority === undefined) report.required(at, "priority");
    else if (priority > maxPriority) {
      report.invalid(at, "priority", priority, `must be less than or equal to ${maxPriority}`);
    } else if (priority < 0) {
      report.invalid(at, "priority", priority, "must be greater than or equal to 0");
    }
  });
}
