import type { IpFamily } from "../base/ip-family.ts";

/** Seconds to wait for the xtables lock. */
export const lockWait = ["-w", "5"] as const;

export function iptablesProgram(family: IpFamily): "iptables" | "ip6tables" {
  return family === "IPv4" ? "iptables" : "ip6tables";
}

/** Whether a reported removal (see FollowRemovals) is one of the ways into and out of our chains. */
export function isRemovalOfEntry(removal: string, family: IpFamily): boolean {
  const ip = family === "IPv4" ? "ip" : "ip6";
  return [
    `delete table ${ip} nat`,
    `delete rule ${ip} nat PREROUTING `,
    `delete rule ${ip} nat KUBE-POSTROUTING `,
  ].some((start) => removal.startsWith(start));
}
