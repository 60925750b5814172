import type { RuleOptions } from "../base/rule-options.ts";

/** Settings on which rules of iptables depend. */
export interface IptRuleOptions extends RuleOptions {
  /** The kernel's named counters that exist; see packet-counters.ts. */
  readonly counters: ReadonlySet<string>;
}

export type TableName = "filter" | "nat";

/**
 * Part of the rules: those of one service, or the base. Chains in `own` belong to this part only;
 * those in `shared` have rules of all parts.
 */
export interface IptFragment {
  /** Chains of the nat table with their rules, without `-A CHAIN`. */
  readonly own: ReadonlyMap<string, readonly string[]>;
  readonly shared: readonly SharedRule[];
}

/** A rule in a chain shared by several parts. */
export interface SharedRule {
  readonly table: TableName;
  readonly chain: string;
  /** Without `-A CHAIN`. */
  readonly rule: string;
}
