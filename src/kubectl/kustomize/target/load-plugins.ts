/** Upstream: sigs.k8s.io/kustomize/api/internal/plugins/loader, api/internal/target/kusttarget.go. */
import { writeYaml } from "#/machinery/codec/yaml/yaml-writer.ts";
import { sortedKeys } from "../../printers/json-printer.ts";
import { KustomizeError, within } from "../failure/kustomize-error.ts";
import { findPlugin } from "../plugins/index.ts";
import {
  type Generator,
  isGenerator,
  type PluginHelpers,
  type Transformer,
} from "../plugins/plugin.ts";
import { type Origin, originFromPlugin } from "../resource/origin.ts";
import type { Resource } from "../resource/resource.ts";
import { gvkText, idText } from "../resource/resource-id.ts";
import { jsonOf } from "../yaml/node-value.ts";
import type { LoweredPlugin } from "./lower.ts";

/** A configured plugin, with the origin of its configuration if origins are recorded. */
export interface Ready<T> {
  readonly plugin: T;
  readonly origin: Origin | undefined;
}

/** Configures a built-in plugin for a field of a kustomization.yaml. */
export function configureBuiltIn(
  { kind, config }: LoweredPlugin,
  helpers: PluginHelpers,
): Generator | Transformer {
  const plugin = findPlugin(kind);
  if (!plugin) throw new KustomizeError(`unable to load builtin ${kind}`);
  try {
    return plugin.configure(config, helpers);
  } catch (error) {
    const shown = (): string => writeYaml(sortedKeys(config));
    throw within(() => `trouble configuring builtin ${kind} with config: \`\n${shown()}\``, error);
  }
}

/** Configures the plugin of an object. Only built-in ones are run. */
function configureObject(config: Resource, helpers: PluginHelpers): Generator | Transformer {
  const { gvk } = config;
  if (gvk.group !== "" || gvk.version !== "builtin") {
    throw new KustomizeError(
      `external plugins disabled; unable to load external plugin '${config.originalId.kind}'`,
    );
  }
  const plugin = findPlugin(gvk.kind);
  if (!plugin) throw new KustomizeError(`unable to load builtin ${gvkText(gvk)}`);
  const value = jsonOf(config.node);
  try {
    return plugin.configure(value, helpers);
  } catch (error) {
    throw within(`plugin ${idText(config.originalId)} fails configuration`, error);
  }
}

export function loadGenerators(
  configs: readonly Resource[],
  helpers: PluginHelpers,
): Ready<Generator>[] {
  return configs.map((config) => {
    try {
      const plugin = configureObject(config, helpers);
      if (isGenerator(plugin)) return { plugin, origin: originFromPlugin(config) };
      throw new KustomizeError(`plugin ${idText(config.originalId)} not a generator`);
    } catch (error) {
      throw within("failed to load generator", error);
    }
  });
}

export function loadTransformers(
  configs: readonly Resource[],
  helpers: PluginHelpers,
): Ready<Transformer>[] {
  return configs.map((config) => {
    const plugin = configureObject(config, helpers);
    if (!isGenerator(plugin)) return { plugin, origin: originFromPlugin(config) };
    throw new KustomizeError(`plugin ${idText(config.originalId)} not a transformer`);
  });
}
