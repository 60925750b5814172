/** Upstream: sigs.k8s.io/kustomize/api/internal/builtins/AnnotationsTransformer.go. */

import { type PairsConfig, setPairs } from "../filters/set-pairs.ts";
import { fieldSpecs, textMap } from "../kustomization/shapes.ts";
import { decodeConfig, type Plugin } from "./plugin.ts";

/** Sets annotations. */
export const annotationsTransformer: Plugin = {
  kind: "AnnotationsTransformer",
  configure(config) {
    const { annotations = {}, fieldSpecs: specs = [] } = decodeConfig<PairsConfig>(
      config,
      "AnnotationsTransformerPlugin",
      { annotations: textMap, fieldSpecs },
    );
    return { transform: (map) => setPairs(map, annotations, specs) };
  },
};
