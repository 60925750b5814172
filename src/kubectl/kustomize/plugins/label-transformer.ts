/** Upstream: sigs.k8s.io/kustomize/api/internal/builtins/LabelTransformer.go. */

import { type PairsConfig, setPairs } from "../filters/set-pairs.ts";
import { fieldSpecs, textMap } from "../kustomization/shapes.ts";
import { decodeConfig, type Plugin } from "./plugin.ts";

/** Sets labels, and selectors that must agree with them. */
export const labelTransformer: Plugin = {
  kind: "LabelTransformer",
  configure(config) {
    const { labels = {}, fieldSpecs: specs = [] } = decodeConfig<PairsConfig>(
      config,
      "LabelTransformerPlugin",
      { labels: textMap, fieldSpecs },
    );
    return { transform: (map) => setPairs(map, labels, specs) };
  },
};
