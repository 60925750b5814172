import { changeCases } from "./cases/changes.ts";
import { classicCases } from "./cases/classic.ts";
import { faultCases } from "./cases/faults.ts";
import { networkCases } from "./cases/network.ts";
import type { CloudCase } from "./cloud-case.ts";

const removesLeftovers =
  "ours removes what is left of a load balancer that is gone; upstream leaves it";

/** Why calls differ from upstream's, by the name of the case. */
const differences: Readonly<Record<string, string>> = {
  "clb: deleted in AWS already": removesLeftovers,
  "nlb: deleted in AWS already": removesLeftovers,
  "clb: deletion, killed after elb:DeleteLoadBalancer": removesLeftovers,
  "nlb: deletion, killed after elbv2:DeleteLoadBalancer": removesLeftovers,
};

export const cases: readonly CloudCase[] = [
  ...classicCases,
  ...networkCases,
  ...changeCases,
  ...faultCases,
].map((one) => {
  const differs = differences[one.name];
  return differs === undefined ? one : { ...one, differs };
});
