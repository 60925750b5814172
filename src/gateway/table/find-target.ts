import type { Pattern } from "./pattern.ts";
import {
  type Candidate,
  type PathTable,
  type RouteTable,
  type Target,
  wildcardOf,
} from "./route-table.ts";

/** What rules are chosen by. */
interface RoutedRequest {
  readonly method: string;
  readonly host: string;
  readonly path: string;
  /** With its question mark; "" without. */
  readonly query: string;
  /** Names, in lower case, and values alternate. */
  readonly fields: readonly string[];
}

/**
 * Limit of the work for one request (fields and characters that are compared, times the size of a pattern): some
 * milliseconds. The rules of one tenant, and requests made for them, must not hold up those of others.
 */
const maxWork = 4_000_000;
/** Work of one condition, besides what it compares. */
const conditionWork = 10;

/** One search, with what is left of its work. */
interface Search {
  readonly request: RoutedRequest;
  left: number;
  parameters: URLSearchParams | undefined;
}

const tooMuch: Target = {
  kind: "reply",
  status: 503,
  text: "too many rules match this request in part\n",
};

/**
 * The target of a request. The most specific host that has rules decides: its own name, then wildcards, then any. Of its
 * paths the exact one counts, then a pattern, then the longest prefix, if its conditions are met.
 */
export function findTarget(table: RouteTable, request: RoutedRequest): Target {
  const rules = findHost(table, request.host) ?? table.hosts.get("");
  if (!rules) return table.fallback;
  const search = { request, left: maxWork, parameters: undefined };
  const found = findPath(rules, search);
  return search.left < 0 ? tooMuch : (found ?? table.fallback);
}

function findHost({ hosts, wildcards }: RouteTable, host: string): PathTable | undefined {
  let found = hosts.get(host);
  for (let name = host; !found; ) {
    const wildcard = wildcardOf(name);
    if (wildcard === "*") return undefined;
    found = hosts.get(wildcard);
    if (wildcards === "one label") break;
    name = wildcard.slice(2);
  }
  return found;
}

function findPath(table: PathTable, search: Search): Target | undefined {
  const { exact, patterns, prefixes, longestPrefix } = table;
  const { path } = search.request;
  const found = choose(exact.get(path), search);
  if (found) return found;
  for (const { pattern, candidate } of patterns) {
    if (passes(path, pattern, search) && meets(candidate, search)) return candidate.target;
  }
  if (prefixes.size === 0) return undefined;
  // A path of thousands of segments has that many prefixes, each as long.
  const isLonger = path.length > longestPrefix;
  let prefix = isLonger ? path.slice(0, Math.max(path.lastIndexOf("/", longestPrefix), 0)) : path;
  for (;;) {
    const target = choose(prefixes.get(prefix), search);
    if (target) return target;
    if (prefix === "") return undefined;
    prefix = prefix.slice(0, Math.max(prefix.lastIndexOf("/"), 0));
  }
}

function choose(candidates: readonly Candidate[] | undefined, search: Search): Target | undefined {
  if (!candidates) return undefined;
  for (const candidate of candidates) if (meets(candidate, search)) return candidate.target;
  return undefined;
}

function meets({ conditions }: Candidate, search: Search): boolean {
  if (!conditions) return true;
  const { request } = search;
  const { method, headers, query } = conditions;
  if (!spend(search, conditionWork) || (method && method !== request.method)) return false;
  const hasHeaders = headers?.every(({ name, value }) =>
    passes(headerOf(search, name), value, search),
  );
  if (hasHeaders === false) return false;
  if (!query || query.length === 0) return true;
  search.parameters ??= new URLSearchParams(request.query);
  const given = search.parameters;
  return query.every(
    ({ name, value }) =>
      spend(search, conditionWork + given.size) &&
      passes(given.get(name) ?? undefined, value, search),
  );
}

function passes(given: string | undefined, value: string | Pattern, search: Search): boolean {
  if (given === undefined) return false;
  if (typeof value === "string") return given === value;
  return spend(search, conditionWork + given.length * value.size) && value.test(given);
}

/** Takes work from a search; false if nothing is left. */
function spend(search: Search, work: number): boolean {
  search.left -= work;
  return search.left >= 0;
}

/** The value of a header; several are joined by commas. */
function headerOf(search: Search, name: string): string | undefined {
  const { fields } = search.request;
  if (!spend(search, conditionWork + fields.length)) return undefined;
  let joined: string | undefined;
  for (let at = 0; at < fields.length; at += 2) {
    if (fields[at] !== name) continue;
    joined = joined === undefined ? fields[at + 1] : `${joined},${fields[at + 1]}`;
  }
  return joined;
}
