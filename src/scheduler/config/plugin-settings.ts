import type { FieldError } from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";

/**
 * The parts of a plugin that the configuration needs. Profiles run plugins that are on by default in the order of the list that
 * holds them.
 */
export interface PluginSettings<Args extends object = object> {
  readonly name: string;
  /** Runs only in profiles that name it. */
  readonly offByDefault?: boolean;
  /** Default weight of its score; 1 if undefined. */
  readonly weight?: number;
  /** Undefined if `pluginConfig` has no arguments for it. */
  readonly args?: ArgumentRules<Args>;
}

/**
 * The arguments of a plugin, as `pluginConfig` of a KubeSchedulerConfiguration has them.
 *
 * Upstream: staging/src/k8s.io/kube-scheduler/config/v1/types_pluginargs.go, pkg/scheduler/apis/config/v1/defaults.go,
 * pkg/scheduler/apis/config/validation/validation_pluginargs.go.
 */
export interface ArgumentRules<Args extends object> {
  /** Sets the defaults of absent fields. */
  complete(given: Partial<Args>): Args;
  validate(args: Args, path: FieldPath): FieldError[];
}
