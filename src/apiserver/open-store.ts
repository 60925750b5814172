import { logger } from "#/std/log/log.ts";
import type { HealthCheck } from "#/std/metrics/health.ts";
import type { Registry as Metrics } from "#/std/metrics/metrics.ts";
import { systemClock } from "#/std/time/clock.ts";
import type { Storage } from "#/storage/base/storage.ts";
import { coreOptions } from "./core-options.ts";
import type { withEncryption } from "./encryption/open-encryption.ts";
import type { ApiServerFlags } from "./flags/index.ts";
import { openStorage } from "./open-storage.ts";
import { registryPrefix } from "./registry/feed.ts";
import type { Declaration } from "./registry/strategy.ts";
import { definitionPlaces } from "./resources/apiextensions/index.ts";
import { builtInResources } from "./resources/index.ts";
import { moveEntries } from "./store/move-entries.ts";
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
  { metrics, given }: { readonly metrics: Metrics; readonly given: ReadonlySet<string> },
  signal: AbortSignal,
): Promise<OpenedStore> {
  await using opening = new AsyncDisposableStack();
  const plain = opening.use(await openStorage(flags, systemClock, signal));
  const resources = builtInResources(coreOptions(flags, plain));
  const tracing = opening.use(await openTracingOf(flags));
  const { storage: sealed, checks: keys } = await encrypted(plain, resources, flags, {
    clock: systemClock,
    metrics,
    files: opening.use(new DisposableStack()),
  });
  const storage = storesProtobuf(flags, given) ? await inProtobuf(sealed) : sealed;
  await gatherDefinitions(storage);
  const stack = opening.move();
  return {
    storage: tracing ? tracing.storage(storage) : storage,
    keys,
    resources,
    tracing,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Definitions of custom resources may be in the place of another kind of store, from which all was copied. */
async function gatherDefinitions(storage: Storage): Promise<void> {
  const { shared, embedded } = definitionPlaces;
  const [from, to] = storage.exclusive ? [shared, embedded] : [embedded, shared];
  const count = await moveEntries(storage, `${registryPrefix}${from}/`, `${registryPrefix}${to}/`);
  if (count > 0) log.info("moved definitions of custom resources to their place", { count, to });
}

/** Upstream's default is protobuf; here objects are JSON unless it is asked for, in an etcd that upstream may read again. */
const storesProtobuf = (flags: ApiServerFlags, given: ReadonlySet<string>): boolean =>
  given.has("storage-media-type") &&
  flags["storage-media-type"] === "application/vnd.kubernetes.protobuf" &&
  flags["etcd-servers"].length > 0;

async function inProtobuf(storage: Storage): Promise<Storage> {
  const { protobufStorage } = await import("./store/protobuf-storage.ts");
  return protobufStorage(storage);
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
  services: Parameters<typeof withEncryption>[3],
): Promise<{ readonly storage: Storage; readonly checks: readonly HealthCheck[] }> {
  if (flags["encryption-provider-config"] === "") return { storage, checks: [] };
  const { withEncryption: open } = await import("./encryption/open-encryption.ts");
  return open(storage, resources, flags, services);
}
