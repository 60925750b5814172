/** A Service's port, by number or name. */
export interface BackendRef {
  readonly namespace: string;
  readonly service: string;
  readonly port: number | string;
}

/** Where a request goes: to a Service, or to a reply of the gateway's own. */
export type Target =
  | ({ readonly kind: "backend" } & BackendRef)
  | { readonly kind: "reply"; readonly status: number; readonly text: string };

/** A path that leads to a target. */
interface PathRule {
  readonly match: "Exact" | "Prefix";
  readonly path: string;
  readonly target: Target;
}

/** The rules of a host: "" for requests to any host, "*.example.com" for all names with one more label. */
export interface HostRule extends PathRule {
  readonly host: string;
}

/** The targets of one host by path. Of equal rules, the first one counts. */
interface PathTable {
  readonly exact: Map<string, Target>;
  /** Without the slash at the end. */
  readonly prefixes: Map<string, Target>;
}

/** All targets, by host and path: a lookup takes time by the length of a path, not by the number of rules. */
export interface RouteTable {
  readonly hosts: ReadonlyMap<string, PathTable>;
  /** The target of all that matches nothing else. */
  readonly fallback: Target;
}

export function buildRouteTable(rules: readonly HostRule[], fallback: Target): RouteTable {
  const hosts = new Map<string, PathTable>();
  for (const { host, match, path, target } of rules) {
    const table = hosts.get(host) ?? { exact: new Map(), prefixes: new Map() };
    hosts.set(host, table);
    const [targets, key] =
      match === "Exact" ? [table.exact, path] : [table.prefixes, path.replace(/\/+$/, "")];
    if (!targets.has(key)) targets.set(key, target);
  }
  return { hosts, fallback };
}

/**
 * The target of a request. The most specific host that has rules decides: its own name, then a wildcard, then any. Of its
 * paths the longest one counts, and of two equal ones the exact one.
 */
export function findTarget(table: RouteTable, host: string, path: string): Target {
  const rules = table.hosts.get(host) ?? table.hosts.get(wildcardOf(host)) ?? table.hosts.get("");
  return (rules && findPath(rules, path)) ?? table.fallback;
}

/** The wildcard that a name is matched by: exactly one label is left open. */
export const wildcardOf = (host: string): string =>
  `*${host.slice(Math.max(host.indexOf("."), 0))}`;

function findPath({ exact, prefixes }: PathTable, path: string): Target | undefined {
  const found = exact.get(path);
  if (found || prefixes.size === 0) return found;
  let prefix = path;
  for (;;) {
    const target = prefixes.get(prefix);
    if (target) return target;
    if (prefix === "") return undefined;
    prefix = prefix.slice(0, Math.max(prefix.lastIndexOf("/"), 0));
  }
}
