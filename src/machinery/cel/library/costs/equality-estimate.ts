import { type CallEstimate, costs, type EstimatedCall } from "../../model/call-cost.ts";
import { exactly, scaleRange, unionRanges } from "../../model/range.ts";

/** Longest name of a format, for the cost of comparing two. */
const maxFormatSize = 64n;

/** Types of Kubernetes' libraries whose values are compared at a fixed cost. */
const fixedCostTypes: ReadonlySet<string> = new Set([
  "net.IP",
  "net.CIDR",
  "kubernetes.Quantity",
  "kubernetes.Semver",
  "kubernetes.authorization.Authorizer",
  "kubernetes.authorization.PathCheck",
  "kubernetes.authorization.GroupCheck",
  "kubernetes.authorization.ResourceCheck",
  "kubernetes.authorization.Decision",
]);

/**
 * What comparing two values of one of Kubernetes' own types may cost.
 *
 * Upstream: apiserver/pkg/cel/library/cost.go.
 */
export function equalityEstimate({ args }: EstimatedCall): CallEstimate | undefined {
  const [left, right] = args;
  if (left === undefined || right === undefined || left.type.name !== right.type.name)
    return undefined;
  if (fixedCostTypes.has(left.type.name)) return { cost: exactly(1) };
  if (left.type.name === "kubernetes.NamedFormat") {
    return { cost: scaleRange({ min: 1n, max: maxFormatSize }, costs.perCharacter) };
  }
  if (left.type.name !== "kubernetes.URL") return undefined;
  const size = right.size === undefined ? exactly(1) : unionRanges(right.size, right.size);
  return { cost: scaleRange({ min: 1n, max: size.max }, costs.perCharacter) };
}
