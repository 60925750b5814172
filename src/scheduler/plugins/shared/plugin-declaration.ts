import type { PluginSettings } from "../../config/plugin-settings.ts";
import type { Extender } from "../../extender/extender.ts";
import type { PluginContext } from "../../framework/context.ts";
import type { Plugin } from "../../framework/plugin.ts";

/** Dependencies of plugins. */
export interface MakingOptions {
  readonly context: PluginContext;
  readonly extenders: readonly Extender[];
}

/** The extension points that a plugin implements. */
export type PluginMethods = Omit<Plugin, "name">;

/** A plugin as its file declares it: its settings for the configuration, and its factory. */
export interface PluginDeclaration<Args extends object = object> extends PluginSettings<Args> {
  /** Called with complete, valid arguments. */
  make(args: Args, options: MakingOptions): PluginMethods;
}
