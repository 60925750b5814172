import { changeCases } from "./cases/changes.ts";
import { classicCases } from "./cases/classic.ts";
import { faultCases } from "./cases/faults.ts";
import { killCases } from "./cases/kills.ts";
import { networkCases } from "./cases/network.ts";
import { nodeCases } from "./cases/nodes.ts";
import type { CloudCase } from "./cloud-case.ts";

const addsLeftOut =
  "ours adds the rule that an interrupted program left out; upstream does when another rule changes";
const removesLeftovers =
  "ours removes what is left of a load balancer that is gone; upstream leaves it";

/** Why calls differ from upstream's, by the name of the case. */
const differences: Readonly<Record<string, string>> = {
  "clb: deleted in AWS already": removesLeftovers,
  "nlb: deleted in AWS already": removesLeftovers,
  "clb: deletion, killed after elb:DeleteLoadBalancer": removesLeftovers,
  "nlb: deletion, killed after elbv2:DeleteLoadBalancer": removesLeftovers,
  "nlb: killed after ec2:AuthorizeSecurityGroupIngress 1": addsLeftOut,
};

/** Cases by area: each has a file of recordings. */
export const areas: Readonly<Record<string, readonly CloudCase[]>> = {
  classic: explained(classicCases),
  network: explained(networkCases),
  "classic-changes": explained(changeCases.filter(({ name }) => name.startsWith("clb"))),
  "network-changes": explained(changeCases.filter(({ name }) => name.startsWith("nlb"))),
  faults: explained(faultCases),
  kills: explained(killCases),
  nodes: explained(nodeCases),
};

function explained(cases: readonly CloudCase[]): CloudCase[] {
  return cases.map((one) => {
    const differs = differences[one.name];
    return differs === undefined ? one : { ...one, differs };
  });
}
