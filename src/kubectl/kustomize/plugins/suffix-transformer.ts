import { nameAffix } from "./name-affix.ts";
import type { Plugin } from "./plugin.ts";

/** Appends a suffix to names. */
export const suffixTransformer: Plugin = {
  kind: "SuffixTransformer",
  configure: (config) => nameAffix(config, "suffix"),
};
