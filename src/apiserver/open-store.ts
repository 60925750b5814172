import { logger } from "#/std/log/log.ts";
import type { HealthCheck } from "#/std/metrics/health.ts";
import type { Registry as Metrics } from "#/std/metrics/metrics.ts";
import { systemClock } from "#/std/time/clock.ts";
import type { Storage } from "#/storage/base/storage.ts";
import { coreOptions } from "./core-options.ts";
import type { ApiServerFlags } from "./flags/index.ts";
import { openStorage } from "./open-storage.ts";
import type { Declaration } from "./registry/strategy.ts";
import { builtInResources } from "./resources/index.ts";
import type { Tracing } from "./trace/open-tracing.ts";

const log = logger("apiserver");

export interface OpenedStore extends AsyncDisposable {
  readonly storage: Storage;
  /** Checks of encryption at rest. */
  readonly keys: readonly HealthCheck[];
  readonly resources: readonly Declaration[];
  readonly tracing: Tracing | null;
}

/** The store, with its encryption and metrics; and the registry of its objects. */
export async function openStore(
  flags: ApiServerFlags,
  metrics: Metrics,
  signal: AbortSignal,
): Promise<OpenedStore> {
  await using opening = new AsyncDisposableStack();
  const plain = opening.use(await openStorage(flags, systemClock, signal));
  const resources = builtInResources(coreOptions(flags, plain));
  const tracing = opening.use(await openTracingOf(flags));
  const { storage, checks: keys } = await encrypted(plain, resources, flags, metrics);
  const stack = opening.move();
  return {
    storage: tracing ? tracing.storage(storage) : storage,
    keys,
    resources,
    tracing,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** The recorder of spans, loaded only if tracing is on. */
async function openTracingOf(flags: ApiServerFlags): Promise<Tracing | null> {
  const file = flags["tracing-config-file"];
  if (file === "") return null;
  const { openTracing } = await import("./trace/open-tracing.ts");
  return openTracing(file, systemClock, log);
}

/** The store with encryption, loaded only if it is on. */
async function encrypted(
  storage: Storage,
  resources: readonly Declaration[],
  flags: ApiServerFlags,
  metrics: Metrics,
): Promise<{ readonly storage: Storage; readonly checks: readonly HealthCheck[] }> {
  if (flags["encryption-provider-config"] === "") return { storage, checks: [] };
  const { withEncryption } = await import("./encryption/open-encryption.ts");
  return withEncryption(storage, resources, flags, { clock: systemClock, metrics });
}
