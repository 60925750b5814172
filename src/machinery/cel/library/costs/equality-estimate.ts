import { type CallEstimate, costs, type EstimatedCall } from "../../model/call-cost.ts";
import { exactly, scaleRange, unionRanges } from "../../model/range.ts";

/** Limit of a format's name (characters), for the cost of a comparison. */
const maxFormatSize = 64n;

/** Types of Kubernetes' libraries with a fixed comparison cost. */
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
 * The cost estimate of comparing two values of Kubernetes' own types.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/cel/library/cost.go.
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
