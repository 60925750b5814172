import { nameAffix } from "./name-affix.ts";
import type { Plugin } from "./plugin.ts";

/** Both at once, as older configurations have it. */
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
