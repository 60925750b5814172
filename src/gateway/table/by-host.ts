import { wildcardOf } from "./route-table.ts";

/** The value of the most specific pattern that matches a host: its name, then wildcards, then any. */
export function findByHost<T>(byHost: ReadonlyMap<string, T>, host: string): T | undefined {
  let found = byHost.get(host);
  for (let name = host; found === undefined; ) {
    const wildcard = wildcardOf(name);
    if (wildcard === "*") return byHost.get("");
    found = byHost.get(wildcard);
    name = wildcard.slice(2);
  }
  return found;
}
