import { nameAffix } from "./name-affix.ts";
import type { Plugin } from "./plugin.ts";

/** Adds a prefix to names. */
export const prefixTransformer: Plugin = {
  kind: "PrefixTransformer",
  configure: (config) => nameAffix(config, "prefix"),
};
