import type { Pattern } from "./pattern.ts";
import type { BackendRef, RouteTarget } from "./route-target.ts";

/** Where a request goes: to a Service, to the result of a route's rule, or to a reply of the gateway's own. */
export type Target =
  | ({ readonly kind: "backend" } & BackendRef)
  | RouteTarget
  | { readonly kind: "reply"; readonly status: number; readonly text: string };

/** What a request must have besides its host and path. */
export interface Conditions {
  readonly method?: string;
  /** Names are in lower case. */
  readonly headers?: readonly ValueTest[];
  readonly query?: readonly ValueTest[];
}

/** A header or a query parameter, and its value or a pattern of it. */
interface ValueTest {
  readonly name: string;
  readonly value: string | Pattern;
}

/** A path that leads to a target. */
interface PathRule {
  readonly match: "Exact" | "Prefix" | Pattern;
  /** The path; the length of a pattern decides between patterns. */
  readonly path: string;
  readonly conditions?: Conditions;
  readonly target: Target;
}

/** The rules of a host: "" for requests to any host, "*.example.com" for names below it. */
export interface HostRule extends PathRule {
  readonly host: string;
}

/** A rule of a path. */
export interface Candidate {
  readonly conditions: Conditions | undefined;
  readonly target: Target;
}

/** The targets of one host by path. Of equal rules, the first one counts. */
export interface PathTable {
  readonly exact: Map<string, Candidate[]>;
  readonly patterns: { readonly pattern: Pattern; readonly candidate: Candidate }[];
  /** Without the slash at the end. */
  readonly prefixes: Map<string, Candidate[]>;
  /** Length of the longest of them (characters). */
  longestPrefix: number;
}

/**
 * Limit of the length of a prefix (characters), which has as many shorter ones as it has segments: requests match no
 * longer one.
 */
const maxPrefix = 4_096;

/** All targets, by host and path: a lookup takes time by the length of a path, not by the number of rules. */
export interface RouteTable {
  readonly hosts: ReadonlyMap<string, PathTable>;
  /** The target of all that matches nothing else. */
  readonly fallback: Target;
  /** How many labels a wildcard stands for: one in Ingresses, any number in the Gateway API. */
  readonly wildcards: "one label" | "any labels";
}

/** The table of these rules; of those that differ in nothing else, the one with more conditions counts, then the first. */
export function buildRouteTable(
  rules: readonly HostRule[],
  fallback: Target,
  wildcards: RouteTable["wildcards"] = "one label",
): RouteTable {
  const hosts = new Map<string, PathTable>();
  for (const rule of rules.toSorted(byConditions)) {
    const { host, match, path, conditions, target } = rule;
    const table: PathTable = hosts.get(host) ?? {
      exact: new Map(),
      patterns: [],
      prefixes: new Map(),
      longestPrefix: 0,
    };
    hosts.set(host, table);
    const candidate = { conditions, target };
    if (typeof match === "object") table.patterns.push({ pattern: match, candidate });
    else if (match === "Exact") addTo(table.exact, path, candidate);
    else {
      const prefix = path.replace(/(?<!\/)\/+$/, "");
      addTo(table.prefixes, prefix, candidate);
      table.longestPrefix = Math.min(Math.max(table.longestPrefix, prefix.length), maxPrefix);
    }
  }
  for (const { patterns } of hosts.values()) {
    patterns.sort((a, b) => b.pattern.text.length - a.pattern.text.length);
  }
  return { hosts, fallback, wildcards };
}

function addTo(targets: Map<string, Candidate[]>, path: string, candidate: Candidate): void {
  const found = targets.get(path);
  if (!found) targets.set(path, [candidate]);
  // Nothing passes a candidate without conditions.
  else if (found.at(-1)?.conditions) found.push(candidate);
}

const weightOf = ({ method, headers = [], query = [] }: Conditions = {}): number =>
  (method ? 1e6 : 0) + headers.length * 1e3 + query.length;

const byConditions = (a: HostRule, b: HostRule): number =>
  weightOf(b.conditions) - weightOf(a.conditions);

/** The wildcard that a name is matched by: exactly one label is left open. */
export const wildcardOf = (host: string): string => {
  const dot = host.indexOf(".");
  return dot < 0 ? "*" : `*${host.slice(dot)}`;
};
