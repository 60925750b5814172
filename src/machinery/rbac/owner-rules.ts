import type { PolicyRule } from "#/api/rbac/v1.ts";
import { PrefixIndex } from "./prefix-index.ts";
import { withoutStars } from "./rule-values.ts";

/** Whether a rule grants a value of an axis of a box (undefined: no resource name). */
export type RuleMatcher = (axis: number, value: string | undefined) => boolean;

type Type = "resource" | "path";

/** A set of the rules (their indices) that name each value, and of those that grant any. */
class Postings {
  readonly #byValue = new Map<string, number[]>();
  readonly #any: number[] = [];
  /** By the part of a pattern before its wildcard. */
  readonly #byPrefix = new Map<string, number[]>();
  /** Of the keys of #byPrefix; made when all rules are added. */
  #prefixes: PrefixIndex | undefined;

  add(rule: number, values: readonly string[] | undefined, isAny: boolean): void {
    if (isAny) this.#any.push(rule);
    else for (const value of new Set(values)) push(this.#byValue, value, rule);
  }

  /** The same for values that may end in a wildcard. */
  addPatterns(rule: number, values: readonly string[] = []): void {
    const [patterns, others] = [values.filter(isPattern), values.filter((one) => !isPattern(one))];
    this.add(rule, others, false);
    for (const prefix of new Set(patterns.map(withoutStars))) push(this.#byPrefix, prefix, rule);
  }

  /** Upper limit of the number of rules that grant one of these values. */
  count(values: readonly string[]): number {
    return values.reduce((sum, value) => sum + this.#of(value).length, this.#any.length);
  }

  collect(values: readonly string[]): number[] {
    const found = new Set(this.#any);
    for (const value of values) for (const rule of this.#of(value)) found.add(rule);
    return [...found].sort((a, b) => a - b);
  }

  #of(value: string): readonly number[] {
    const exact = this.#byValue.get(value) ?? [];
    if (this.#byPrefix.size === 0) return exact;
    this.#prefixes ??= new PrefixIndex(this.#byPrefix.keys());
    const covering = [...this.#prefixes.prefixesOf(value)];
    return [...exact, ...covering.flatMap((prefix) => this.#byPrefix.get(prefix) ?? [])];
  }
}

function push(map: Map<string, number[]>, key: string, rule: number): void {
  const list = map.get(key);
  if (list) list.push(rule);
  else map.set(key, [rule]);
}

/** Rules by the values they name: a rule is compared only with those that can grant some of it. */
export class OwnerRules {
  readonly #rules: readonly PolicyRule[];
  readonly #matchers = new Map<number, Readonly<Record<Type, RuleMatcher>>>();
  readonly #verbs = new Postings();
  readonly #groups = new Postings();
  readonly #resources = new Postings();
  readonly #names = new Postings();
  readonly #paths = new Postings();

  constructor(rules: readonly PolicyRule[]) {
    this.#rules = withJoinedPaths(rules);
    for (const [index, rule] of this.#rules.entries()) {
      const { verbs, apiGroups, resources, resourceNames = [], nonResourceURLs } = rule;
      this.#verbs.add(index, verbs, isAny(verbs));
      this.#groups.add(index, apiGroups, isAny(apiGroups));
      this.#resources.add(index, resources, isAny(resources));
      this.#names.add(index, resourceNames, resourceNames.length === 0);
      this.#paths.addPatterns(index, nonResourceURLs);
    }
  }

  /** The rules that may grant some of the permissions of a rule; first those that may grant all. */
  *candidates(rule: PolicyRule, type: Type): Generator<RuleMatcher> {
    const axes = this.#axesOf(rule, type);
    const single = axes.flatMap(([postings, values]) =>
      values.map((value): Axis => [postings, [value]]),
    );
    const first = new Set(collect(rarest(single)));
    for (const index of first) yield this.#matcher(index)[type];
    for (const index of collect(rarest(axes))) {
      if (!first.has(index)) yield this.#matcher(index)[type];
    }
  }

  #axesOf(rule: PolicyRule, type: Type): Axis[] {
    const {
      verbs,
      apiGroups = [],
      resources = [],
      resourceNames = [],
      nonResourceURLs = [],
    } = rule;
    const ofVerbs: Axis = [this.#verbs, verbs.map(alone)];
    if (type === "path") return [ofVerbs, [this.#paths, nonResourceURLs.map(alone)]];
    return [
      ofVerbs,
      [this.#groups, apiGroups.map(alone)],
      [this.#resources, resources.map(withSubresource)],
      [this.#names, resourceNames.map(alone)],
    ];
  }

  #matcher(index: number): Readonly<Record<Type, RuleMatcher>> {
    const known = this.#matchers.get(index);
    if (known) return known;
    const made = matchersOf(this.#rules[index] ?? { verbs: [] });
    this.#matchers.set(index, made);
    return made;
  }
}

/**
 * The same rules, with one rule for all paths that have the same verbs: many paths are then looked up in one index. A
 * rule with names grants no path.
 */
function withJoinedPaths(rules: readonly PolicyRule[]): PolicyRule[] {
  const joined = new Map<
    string,
    { readonly verbs: string[]; readonly nonResourceURLs: string[] }
  >();
  const others: PolicyRule[] = [];
  for (const rule of rules) {
    const { nonResourceURLs = [], ...rest } = rule;
    if (rest.resources?.length || nonResourceURLs.length === 0) others.push(rest);
    if (nonResourceURLs.length === 0 || rest.resourceNames?.length) continue;
    const key = JSON.stringify(rest.verbs.toSorted());
    const paths = joined.get(key) ?? { verbs: rest.verbs, nonResourceURLs: [] };
    for (const path of nonResourceURLs) paths.nonResourceURLs.push(path);
    joined.set(key, paths);
  }
  return [...others, ...joined.values()];
}

/** Postings, and the values that are looked up in them: for each, the texts that grant it. */
type Axis = readonly [Postings, readonly (readonly string[])[]];

const isPattern = (path: string): boolean => path.endsWith("*");

const alone = (value: string): readonly string[] => [value];

/** The one with the fewest rules. */
function rarest(axes: readonly Axis[]): Axis | undefined {
  let best: Axis | undefined;
  let fewest = Number.POSITIVE_INFINITY;
  for (const axis of axes) {
    const count = axis[0].count(axis[1].flat());
    if (count >= fewest) continue;
    best = axis;
    fewest = count;
  }
  return best;
}

const collect = (axis: Axis | undefined): number[] => axis?.[0].collect(axis[1].flat()) ?? [];

const isAny = (list: readonly string[] | undefined): boolean => list?.includes("*") ?? false;

/** A resource, and the pattern that grants its subresource of any resource. */
function withSubresource(resource: string): string[] {
  const slash = resource.indexOf("/");
  return slash < 0 ? [resource] : [resource, `*${resource.slice(slash)}`];
}

function matchersOf(rule: PolicyRule): Readonly<Record<Type, RuleMatcher>> {
  const [verbs, groups, resources] = [rule.verbs, rule.apiGroups, rule.resources].map(anyOf);
  const names = new Set(rule.resourceNames);
  const paths = rule.nonResourceURLs ?? [];
  const exact = new Set(paths);
  const patterns = new PrefixIndex(paths.filter(isPattern).map(withoutStars));
  const hasResource = (resource: string): boolean =>
    withSubresource(resource).some((value) => resources?.(value));
  const hasPath = (path: string): boolean => exact.has(path) || patterns.covers(path);
  return {
    resource(axis, value) {
      if (axis === 3) return names.size === 0 || (value !== undefined && names.has(value));
      if (value === undefined) return false;
      return (axis === 0 ? groups : axis === 1 ? hasResource : verbs)?.(value) ?? false;
    },
    // A rule with names grants no path.
    path: (axis, value = "") =>
      names.size === 0 && ((axis === 0 ? hasPath : verbs)?.(value) ?? false),
  };
}

/** Whether a list contains a value or the wildcard. */
function anyOf(list: readonly string[] | undefined): (value: string) => boolean {
  const values = new Set(list);
  return values.has("*") ? () => true : (value) => values.has(value);
}
