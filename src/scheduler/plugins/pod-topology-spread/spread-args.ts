import type { TopologySpreadConstraint } from "#/api/core/v1.ts";
import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { validateLabelName } from "#/machinery/meta/label-selector.ts";
import type { ArgumentRules } from "../../config/plugin-settings.ts";

export interface PodTopologySpreadArgs {
  readonly defaultConstraints?: readonly TopologySpreadConstraint[];
  /** System or List. */
  readonly defaultingType: string;
}

export const spreadArgs: ArgumentRules<PodTopologySpreadArgs> = {
  complete: (given) => ({ ...given, defaultingType: given.defaultingType || "System" }),
  validate({ defaultingType, defaultConstraints = [] }, path) {
    const errors: FieldError[] = [];
    const at = path.child("defaultingType");
    if (defaultingType !== "System" && defaultingType !== "List") {
      errors.push(notSupported(at, defaultingType, ["System", "List"]));
    } else if (defaultingType === "System" && defaultConstraints.length > 0) {
      errors.push(invalid(at, defaultingType, "when .defaultConstraints are not empty"));
    }
    const listPath = path.child("defaultConstraints");
    defaultConstraints.forEach((constraint, index) => {
      const before = defaultConstraints.slice(0, index);
      errors.push(...validateConstraint(constraint, before, listPath.index(index)));
    });
    return errors;
  },
};

function validateConstraint(
  constraint: TopologySpreadConstraint,
  before: readonly TopologySpreadConstraint[],
  path: FieldPath,
): FieldError[] {
  const { maxSkew, topologyKey, whenUnsatisfiable, labelSelector } = constraint;
  const errors: FieldError[] = [];
  if (maxSkew <= 0) {
    errors.push(invalid(path.child("maxSkew"), maxSkew, "not in valid range (0, inf)"));
  }
  const keyPath = path.child("topologyKey");
  errors.push(
    ...(topologyKey
      ? validateLabelName(topologyKey, keyPath)
      : [required(keyPath, "can not be empty")]),
  );
  const wayPath = path.child("whenUnsatisfiable");
  const ways = ["DoNotSchedule", "ScheduleAnyway"];
  if (!whenUnsatisfiable) errors.push(required(wayPath, "can not be empty"));
  else if (!ways.includes(whenUnsatisfiable)) {
    errors.push(notSupported(wayPath, whenUnsatisfiable, ways));
  }
  if (labelSelector !== undefined) {
    const text = "constraint must not define a selector, as they deduced for each pod";
    errors.push(forbidden(path.child("labelSelector"), text));
  }
  const isSame = (other: TopologySpreadConstraint): boolean =>
    other.topologyKey === topologyKey && other.whenUnsatisfiable === whenUnsatisfiable;
  if (before.some(isSame)) errors.push(duplicate(path, `{${topologyKey}, ${whenUnsatisfiable}}`));
  return errors;
}
