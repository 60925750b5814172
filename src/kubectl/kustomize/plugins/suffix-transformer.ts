import { nameAffix } from "./name-affix.ts";
import type { Plugin } from "./plugin.ts";

/** Puts a suffix after names. */
export const suffixTransformer: Plugin = {
  kind: "SuffixTransformer",
  configure: (config) => nameAffix(config, "suffix"),
};
