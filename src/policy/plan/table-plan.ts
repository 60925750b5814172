/** A chain of the table; one with a hook is entered by the kernel. */
export interface PlannedChain {
  /** `type filter hook forward priority -5; policy accept;` */
  readonly hook?: string;
  readonly rules: readonly string[];
}

/** A set or a map of the table. */
export interface PlannedSet {
  readonly kind: "set" | "map";
  readonly type: string;
  /** Whether the kernel's own rules fill it: then it has no elements here. */
  readonly options?: string;
  /** The values of a map, by key; of a set, empty. */
  readonly elements: ReadonlyMap<string, string>;
}

/** The content of the table. Equal parts of two plans are the same object wherever that is cheap. */
export interface TablePlan {
  readonly chains: ReadonlyMap<string, PlannedChain>;
  readonly sets: ReadonlyMap<string, PlannedSet>;
}
