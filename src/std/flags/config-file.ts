import type { FlagSet, ParsedFlags } from "./flags.ts";
import { typeOf } from "./flags.ts";

/**
 * A component's configuration, overridden by the given flags. Only flags with a `config` path take
 * part; a duration becomes text, as in such files.
 */
export function overlayFlags<Config extends object, Flags extends FlagSet>(
  config: Config,
  flags: Flags,
  { values, changed }: Pick<ParsedFlags<Flags>, "values" | "changed">,
): Config {
  const merged = structuredClone(config);
  for (const name of changed) {
    const flag = flags[name];
    if (flag?.config === undefined) continue;
    const value = values[name];
    setPath(merged, flag.config, flag.type === "duration" ? typeOf(flag).format(value) : value);
  }
  return merged;
}

function setPath(object: object, path: string, value: unknown): void {
  const keys = path.split(".");
  const last = keys.pop() ?? "";
  // A path leads through objects only: other values on the way are replaced.
  let parent = object as Record<string, unknown>;
  for (const key of keys) {
    const child = parent[key];
    const next = typeof child === "object" && child !== null ? child : {};
    parent[key] = next;
    parent = next as Record<string, unknown>;
  }
  parent[last] = value;
}
