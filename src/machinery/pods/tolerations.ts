import type { Taint, Toleration } from "#/api/core/v1.ts";
import { isDecimalInteger } from "../meta/text-rules.ts";
import { parseInt64 } from "../values/int64.ts";

/** Rules that depend on feature gates. */
interface TolerationOptions {
  /** The operators Lt and Gt (TaintTolerationComparisonOperators, off in v1.37). */
  readonly comparisonOperators?: boolean;
}

/**
 * Whether a toleration matches a taint.
 *
 * Upstream: staging/src/k8s.io/api/core/v1/toleration.go.
 */
export function toleratesTaint(
  { key, operator, value, effect }: Toleration,
  taint: Taint,
  { comparisonOperators = false }: TolerationOptions = {},
): boolean {
  if (effect && effect !== taint.effect) return false;
  if (key && key !== taint.key) return false;
  switch (operator || "Equal") {
    case "Equal":
      return (value ?? "") === (taint.value ?? "");
    case "Exists":
      return true;
    case "Lt":
    case "Gt":
      return comparisonOperators && compareValues(operator === "Lt", value, taint.value);
    default:
      return false;
  }
}

function compareValues(lower: boolean, value = "", taintValue = ""): boolean {
  if (isDecimalInteger(value).length > 0 || isDecimalInteger(taintValue).length > 0) return false;
  const bound = parseInt64(value);
  const actual = parseInt64(taintValue);
  if (bound === undefined || actual === undefined) return false;
  return lower ? actual < bound : actual > bound;
}

/** The first taint without a matching toleration, among those that the filter includes. */
export function findUntoleratedTaint(
  taints: readonly Taint[] | undefined,
  tolerations: readonly Toleration[] | undefined,
  options: TolerationOptions & { readonly filter?: (taint: Taint) => boolean } = {},
): Taint | undefined {
  return taints?.find((taint) => {
    if (options.filter !== undefined && !options.filter(taint)) return false;
    return !(tolerations ?? []).some((toleration) => toleratesTaint(toleration, taint, options));
  });
}

/** Whether two tolerations are equal except for their seconds. */
export function sameToleration(a: Toleration, b: Toleration): boolean {
  return tolerationKey(a) === tolerationKey(b);
}

/** The text of a toleration without its seconds: equal for the same tolerations. */
export const tolerationKey = ({ key, effect, operator, value }: Toleration): string =>
  JSON.stringify([key ?? "", effect ?? "", operator ?? "", value ?? ""]);
