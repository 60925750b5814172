import type { Client } from "#/client/client.ts";
import type { EventRecorder } from "#/client/events/event-recorder.ts";
import type { Informers } from "#/client/informers/informers.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import type { Logger } from "#/std/log/log.ts";
import type { Registry } from "#/std/metrics/metrics.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { CloudProvider } from "./provider.ts";

/** The dependencies of a cloud provider. */
export interface ProviderContext {
  readonly client: Client;
  /** Shared with the controllers. They are strict: a store that is not filled throws NotSyncedError. */
  readonly informers: Informers;
  /** --cluster-name. */
  readonly clusterName: string;
  /** Values of the flags that the provider declares in its entry, by name. */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly clock: Clock;
  /** Aborts when the provider must stop its background work. */
  readonly signal: AbortSignal;
  readonly metrics: Registry;
  readonly log: Logger;
  /** Makes the recorder of an event source. */
  recorderFor(source: string): EventRecorder;
}

/** Opens a provider with the content of --cloud-config; "" if there is no such file. Rejects if it is invalid. */
export type OpenProvider = (config: string, context: ProviderContext) => Promise<CloudProvider>;

/** How a provider is registered. Its modules are loaded only if it is chosen. */
export interface ProviderEntry {
  /** The value of --cloud-provider. */
  readonly name: string;
  /** Flags of its own. */
  readonly flags?: FlagSet;
  /** Names of its own controllers, for --controllers; see CloudProvider.controllers. */
  readonly controllers?: readonly {
    readonly name: string;
    readonly alias?: string;
    readonly isOffByDefault?: boolean;
  }[];
  load(): Promise<OpenProvider>;
}
