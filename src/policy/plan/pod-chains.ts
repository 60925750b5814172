import { type Direction, type Policy, policyName, type Tier } from "../model/policy.ts";
import { byPriority } from "./by-priority.ts";
import { chainNames, policyChain, selfSet, shortHash } from "./names.ts";
import {
  allowVerdict,
  clientAddress,
  policyRules,
  serverAddress,
  type UsedSet,
} from "./policy-rules.ts";
import type { PlannedChain } from "./table-plan.ts";

/** The chains that decide for Pods with the same policies, and the sets of their rules. */
export interface PodChains {
  /** The chain that packets of such a Pod enter. */
  readonly entry: string;
  readonly chains: ReadonlyMap<string, PlannedChain>;
  readonly sets: readonly UsedSet[];
}

/**
 * The chains for one direction of Pods that these policies select: the tiers one after the other. The chain of a tier
 * with priorities has the rules of its policies in their order, so that Pass, which is `return`, leads to the next tier.
 */
export function podChains(direction: Direction, policies: readonly Policy[]): PodChains {
  const ofTier = (tier: Tier) => policies.filter((policy) => policy.tier === tier);
  const [admin, network, baseline] = [ofTier("Admin"), ofTier("Network"), ofTier("Baseline")];
  const key = policies.map(({ source }) => policyName(source)).join("\n");
  const entry = `${direction}-pods-${shortHash(key)}`;
  const chains = new Map<string, PlannedChain>();
  const sets: UsedSet[] = [];
  const rules = ([4, 6] as const).map(
    (family) =>
      `${clientAddress(family)} . ${serverAddress(family)} @${selfSet(family)} ${allowVerdict[direction]}`,
  );
  const jump = (chain: string, of: readonly Policy[]): void => {
    const texts = of.map((policy) => policyRules(policy, direction));
    chains.set(chain, { rules: texts.flatMap((text) => text.rules) });
    sets.push(...texts.flatMap((text) => text.sets));
    rules.push(`jump ${chain}`);
  };
  if (admin.length > 0) jump(tierChain(direction, "Admin", admin), byPriority(admin));
  for (const policy of network) jump(policyChain(direction, policy), [policy]);
  if (network.length === 0 && baseline.length > 0) {
    jump(tierChain(direction, "Baseline", baseline), byPriority(baseline));
  }
  rules.push(network.length > 0 ? `goto ${chainNames.deny[direction]}` : allowVerdict[direction]);
  chains.set(entry, { rules });
  return { entry, chains, sets };
}

function tierChain(direction: Direction, tier: Tier, policies: readonly Policy[]): string {
  const key = policies.map(({ source, priority }) => `${priority} ${policyName(source)}`);
  return `${direction}-${tier.toLowerCase()}-${shortHash(key.sort().join("\n"))}`;
}
