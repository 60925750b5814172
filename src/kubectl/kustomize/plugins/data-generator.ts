/** Upstream: sigs.k8s.io/kustomize/api/internal/builtins/{ConfigMap,Secret}Generator.go. */

import { makeDataObject } from "../filters/make-data-object.ts";
import type { GeneratorArgs } from "../kustomization/kustomization.ts";
import { generatorArgs, objectMetaShape, text } from "../kustomization/shapes.ts";
import { decodeConfig, type Plugin } from "./plugin.ts";

interface DataConfig extends GeneratorArgs {
  readonly metadata?: { readonly name?: string; readonly namespace?: string };
}

/** The plugin for one kind of object; the name may also be in the metadata of its configuration. */
export function dataGenerator(kind: "ConfigMap" | "Secret"): Plugin {
  return {
    kind: `${kind}Generator`,
    configure(config, { loader }) {
      const { metadata = {}, ...args } = decodeConfig<DataConfig>(
        config,
        `${kind}GeneratorPlugin`,
        {
          ...generatorArgs,
          ...(kind === "Secret" && { type: text }),
          metadata: objectMetaShape,
        },
      );
      const named = {
        ...args,
        name: args.name || (metadata.name ?? ""),
        namespace: args.namespace || (metadata.namespace ?? ""),
      };
      return { generate: () => [makeDataObject(kind, named, loader)] };
    },
  };
}
