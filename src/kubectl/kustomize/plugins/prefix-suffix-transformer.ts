import { nameAffix } from "./name-affix.ts";
import type { Plugin } from "./plugin.ts";

/** Adds prefix and suffix, for older configurations. */
export const prefixSuffixTransformer: Plugin = {
  kind: "PrefixSuffixTransformer",
  configure(config) {
    const both = [nameAffix(config, "prefix"), nameAffix(config, "suffix")];
    return {
      transform(map) {
        for (const each of both) each.transform(map);
      },
    };
  },
};
