/** A chain; one with a hook is entered by the kernel, any other by a jump. */
export interface NftChain {
  /** `type nat hook output priority -100;` */
  readonly hook?: string;
  readonly comment?: string;
  readonly rules: readonly string[];
}

/** A named set or map. */
export interface NftContainer {
  readonly kind: "set" | "map";
  /** The type of its elements: `ipv4_addr`, `inet_proto . inet_service : verdict`. */
  readonly type: string;
  readonly comment?: string;
  /** For a set that the kernel fills itself: the timeout of its elements. */
  readonly timeoutSeconds?: number;
}

/** A member of a set (without value) or a map. */
export interface NftElement {
  readonly container: string;
  readonly key: string;
  readonly value?: string;
  readonly comment?: string;
}

/**
 * Part of the table: that of one service, or the base. Chains and containers belong to one part
 * only; an element may be in several.
 */
export interface NftFragment {
  readonly chains: ReadonlyMap<string, NftChain>;
  readonly containers: ReadonlyMap<string, NftContainer>;
  readonly elements: readonly NftElement[];
}

export const emptyFragment: NftFragment = {
  chains: new Map(),
  containers: new Map(),
  elements: [],
};
