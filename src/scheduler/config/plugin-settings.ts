import type { FieldError } from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";

/**
 * What a configuration must know of a plugin. Profiles run plugins that are on by default in the order of the list that
 * holds them.
 */
export interface PluginSettings<Args extends object = object> {
  readonly name: string;
  /** Runs only in profiles that name it. */
  readonly offByDefault?: boolean;
  /** How much its score counts by default; 1 if left out. */
  readonly weight?: number;
  /** Absent if `pluginConfig` has nothing for it. */
  readonly args?: ArgumentRules<Args>;
}

/**
 * The arguments of a plugin, as `pluginConfig` of a KubeSchedulerConfiguration has them.
 *
 * Upstream: kube-scheduler/config/v1/types_pluginargs.go, kubernetes/pkg/scheduler/apis/config/v1/defaults.go,
 * kubernetes/pkg/scheduler/apis/config/validation/validation_pluginargs.go.
 */
export interface ArgumentRules<Args extends object> {
  /** Fills in what is left out. */
  complete(given: Partial<Args>): Args;
  validate(args: Args, path: FieldPath): FieldError[];
}
