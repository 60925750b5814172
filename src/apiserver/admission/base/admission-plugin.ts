import type { Resource } from "#/api/base/resource.ts";
import type { MaybePromise } from "#/std/base/maybe-promise.ts";
import type { Registry as Metrics } from "#/std/metrics/metrics.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Egress } from "../../egress/egress.ts";
import type { ApiServerFlags } from "../../flags/index.ts";
import type { Authorizer } from "../../model/authorizer.ts";
import type { ResourceName } from "../../model/resource-name.ts";
import type { Attributes } from "../../registry/admission.ts";
import type { Registry } from "../../registry/registry.ts";
import type { ApiObject, Decoded } from "../../registry/strategy.ts";
import type { AdmissionMetrics } from "./admission-metrics.ts";

export type Operation = Attributes["operation"];

/** Dependencies of plugins. */
export interface PluginServices {
  readonly registry: Registry;
  readonly authorizer: Authorizer;
  readonly clock: Clock;
  readonly flags: ApiServerFlags;
  /** The client of webhooks. */
  readonly egress: Egress;
  /** Metrics of the chain and of webhooks. */
  readonly metrics: AdmissionMetrics;
  /** Registry for a plugin's own metrics. */
  readonly metricsRegistry: Metrics;
  /** Whether a feature gate is on. */
  enabled(feature: string): boolean;
}

/** One pass of all mutating plugins over an object; a plugin may request a second one. */
export interface Round {
  readonly isReinvocation: boolean;
  /** Set by a plugin that changed the object after others had seen it, so that they run again. */
  reinvoke: boolean;
  /** A plugin's state for the second pass, by its name. */
  readonly memory: Map<string, unknown>;
}

/** Attributes with objects of one kind. */
export type Admitted<T> = Omit<Attributes, "object" | "oldObject"> & {
  object: Decoded<T>;
  readonly oldObject: Decoded<T> | undefined;
};

/** The hooks of a plugin; both may throw a StatusError, and are synchronous unless they need I/O. */
export interface Hooks<T> {
  mutate?(attributes: Admitted<T>, services: PluginServices, round: Round): MaybePromise<void>;
  validate?(attributes: Admitted<T>, services: PluginServices): MaybePromise<void>;
}

/** The requests for which a plugin is called; others cost nothing. */
export interface Scope {
  /** The resources, as requests name them; absent for all. */
  readonly on?: readonly ResourceName[];
  /** "" is the resource itself; absent for all. */
  readonly subresources?: readonly string[];
  readonly operations: readonly Operation[];
}

/** A plugin of the chain, by the name that flags and configuration use. */
export interface AdmissionPlugin extends Scope {
  readonly name: string;
  /** Enabled only by --enable-admission-plugins. */
  readonly offByDefault?: boolean;
  /** Opens the plugin with its section of the configuration file, or undefined. Throws if that is invalid. */
  open(services: PluginServices, configuration: unknown): MaybePromise<Hooks<never>>;
}

interface Declared<T> extends Omit<Scope, "on"> {
  readonly name: string;
  readonly offByDefault?: boolean;
  readonly on?: Resource<T> | readonly Resource<T>[];
}

/** Declares a plugin: hooks only if it has no state, or `open` if it has a configuration or state. */
export function admissionPlugin<T = ApiObject>(
  declared: Declared<T> &
    (Hooks<T> | { open(services: PluginServices, configuration: unknown): MaybePromise<Hooks<T>> }),
): AdmissionPlugin {
  const { name, on, subresources = [""], operations, offByDefault = false } = declared;
  const hooks = declared as unknown as Hooks<never>;
  return {
    name,
    ...(on ? { on: Array.isArray(on) ? on : [on as Resource<T>] } : {}),
    ...(on || declared.subresources ? { subresources } : {}),
    operations,
    offByDefault,
    open: "open" in declared ? (declared.open as AdmissionPlugin["open"]) : () => hooks,
  };
}
