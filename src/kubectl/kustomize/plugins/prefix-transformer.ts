import { nameAffix } from "./name-affix.ts";
import type { Plugin } from "./plugin.ts";

/** Puts a prefix before names. */
export const prefixTransformer: Plugin = {
  kind: "PrefixTransformer",
  configure: (config) => nameAffix(config, "prefix"),
};
