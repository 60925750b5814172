/** Upstream: sigs.k8s.io/kustomize/api/internal/builtins/HashTransformer.go. */
import { buildAnnotations } from "../resource/build-annotations.ts";
import { hashSuffix } from "../resource/hash-suffix.ts";
import type { Plugin } from "./plugin.ts";

/** Appends a hash of the content to the names of generated objects. */
export const hashTransformer: Plugin = {
  kind: "HashTransformer",
  configure: () => ({
    transform(map) {
      for (const resource of map.resources) {
        if (!resource.isEnabled(buildAnnotations.needsHashSuffix)) continue;
        const hash = hashSuffix(resource);
        resource.rememberId();
        resource.name = `${resource.name}-${hash}`;
      }
    },
  }),
};
