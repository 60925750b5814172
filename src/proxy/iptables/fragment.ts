export type TableName = "filter" | "nat";

/**
 * Part of the rules: what one service needs, or what is there for all. Chains in `own` belong to
 * this part alone; those in `shared` are made of what all parts put into them.
 */
export interface IptFragment {
  /** Chains of the nat table with their rules, without `-A CHAIN`. */
  readonly own: ReadonlyMap<string, readonly string[]>;
  readonly shared: readonly SharedRule[];
}

/** A rule in a chain that several parts fill. */
export interface SharedRule {
  readonly table: TableName;
  readonly chain: string;
  /** Without `-A CHAIN`. */
  readonly rule: string;
}
