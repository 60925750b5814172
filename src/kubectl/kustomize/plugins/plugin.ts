/** Upstream: sigs.k8s.io/kustomize/api/resmap. */

import { within } from "../failure/kustomize-error.ts";
import type { Loader } from "../files/loader.ts";
import type { HelmProgram } from "../files/run-helm.ts";
import { decodeShape, type Fields } from "../kustomization/decode-shape.ts";
import { struct } from "../kustomization/shapes.ts";
import type { SchemaSource } from "../merge/merge-schema.ts";
import type { Resource } from "../resource/resource.ts";
import type { ResourceMap } from "../resource/resource-map.ts";

/** The context of plugins. */
export interface PluginHelpers {
  readonly loader: Loader;
  readonly schemas: () => SchemaSource;
  /** Undefined if Helm is not enabled. */
  readonly helm: HelmOptions | undefined;
}

/** The Helm flags. */
export interface HelmOptions extends HelmProgram {
  readonly kubeVersion: string;
  readonly apiVersions: readonly string[];
  readonly debug: boolean;
}

export interface Generator {
  generate(): Resource[];
}

export interface Transformer {
  transform(map: ResourceMap): void;
}

/** A built-in plugin: the kind of its configuration, and its factory. */
export interface Plugin {
  readonly kind: string;
  /** Configures the plugin. Throws if the configuration is invalid. */
  configure(config: unknown, helpers: PluginHelpers): Generator | Transformer;
}

export function isGenerator(plugin: Generator | Transformer): plugin is Generator {
  return "generate" in plugin;
}

/** The fields of a configuration; numbers are accepted as strings. */
export function decodeConfig<T>(config: unknown, name: string, fields: Fields): T {
  try {
    const decoded = decodeShape(config, struct(name, fields), { convertsTexts: true });
    return (decoded ?? {}) as T;
  } catch (error) {
    throw within("error unmarshaling JSON: while decoding JSON", error);
  }
}
