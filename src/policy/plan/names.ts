import { createHash } from "node:crypto";
import { type Direction, type Policy, policyName } from "../model/policy.ts";

/** Our table for packets of every family. */
export const tableName = "inet k8ts-policy";

/** Our table for frames within a bridge. */
export const frameTableName = "bridge k8ts-policy";

/** Limit of a name (letters): nftables' 256, minus prefix and hash. */
const maxNameLength = 220;

/** A short name for a long text; 60 bits, so that two texts never have the same one. */
export const shortHash = (text: string): string =>
  createHash("sha256").update(text).digest("hex").slice(0, 15);

/** The chain with the rules of a policy for one direction. */
export function policyChain(direction: Direction, policy: Policy): string {
  const name = policyName(policy.source);
  return `${direction}-${shortHash(name)}-${name}`.slice(0, maxNameLength);
}

/** Chains of the table that every packet enters, or that others end in. */
export const chainNames = {
  forward: "forward",
  input: "input",
  toPod: "to-pod",
  untracked: "untracked",
  deny: { ingress: "deny-ingress", egress: "deny-egress" },
} as const;

/** By the address of a Pod of this node: the chain that decides for it. */
export const podMap = (direction: Direction, family: 4 | 6): string => `${direction}${family}`;

/** The addresses of Pods whose policies are in force. */
export const knownSet = (family: 4 | 6): string => `known${family}`;

/** Pairs of addresses of the same Pod, which may always connect to itself. */
export const selfSet = (family: 4 | 6): string => `self${family}`;

/** Denied connections, with the number of their packets. */
export const deniedSet = (direction: Direction, family: 4 | 6): string =>
  `denied-${direction}${family}`;
