import type { PluginSettings } from "../../config/plugin-settings.ts";
import type { Extender } from "../../extender/extender.ts";
import type { PluginContext } from "../../framework/context.ts";
import type { Plugin } from "../../framework/plugin.ts";

/** What plugins are made with. */
export interface MakingOptions {
  readonly context: PluginContext;
  readonly extenders: readonly Extender[];
}

/** What a plugin does at each extension point. */
export type PluginMethods = Omit<Plugin, "name">;

/** A plugin as its file declares it: what configurations may say of it, and how it is made. */
export interface PluginDeclaration<Args extends object = object> extends PluginSettings<Args> {
  /** Called with complete, valid arguments. */
  make(args: Args, options: MakingOptions): PluginMethods;
}
