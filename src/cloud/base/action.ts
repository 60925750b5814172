/**
 * One change of a cloud, as a value: it can be printed, compared and applied. Applying it twice has the effect of applying
 * it once.
 */
export interface CloudAction {
  /** The operation in the cloud's own words: "elasticloadbalancing:CreateLoadBalancer", "local:AssignAddress". */
  readonly call: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The object that it changes, for people: "NLB a0123 of Service shop/web". */
  readonly of: string;
}
