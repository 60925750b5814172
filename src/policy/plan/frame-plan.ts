import { neighbourTypes } from "./base-chains.ts";
import type { TablePlan } from "./table-plan.ts";

/**
 * The table for frames within a bridge: Pods whose ingress is limited get none for groups and for everyone, which have no
 * address of a Pod that the other table could match. `links` are the node's ends of their links.
 */
export function framePlan(links: readonly string[]): TablePlan {
  const closed = "oifname @closed";
  const elements = new Map(links.map((name) => [`"${name}"`, ""]));
  return {
    chains: new Map([
      [
        "forward",
        {
          hook: "type filter hook forward priority -5; policy accept;",
          rules: [
            `${closed} ip daddr { 224.0.0.0/4, 255.255.255.255 } counter drop`,
            `${closed} ip6 daddr ff00::/8 icmpv6 type ${neighbourTypes} accept`,
            `${closed} ip6 daddr ff00::/8 counter drop`,
          ],
        },
      ],
    ]),
    sets: new Map([["closed", { kind: "set", type: "ifname", elements }]]),
  };
}
