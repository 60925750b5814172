import { join } from "node:path";
import { aborted } from "#/std/async/aborted.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Storage } from "#/storage/base/storage.ts";
import type { ApiServerFlags } from "./flags/index.ts";

/** The store that the flags name: etcd where servers are given, else the embedded one. An abort ends the wait for it. */
export async function openStorage(
  flags: ApiServerFlags,
  clock: Clock,
  signal: AbortSignal,
): Promise<Storage> {
  const endpoints = flags["etcd-servers"];
  // Each is loaded only when it is wanted: gRPC alone takes 50 ms.
  if (endpoints.length === 0) {
    const { LmdbStorage } = await import("#/storage/lmdb/lmdb-storage.ts");
    return LmdbStorage.open({ directory: join(flags["data-dir"], "store"), clock });
  }
  const { EtcdStorage } = await import("#/storage/etcd/etcd-storage.ts");
  const caFile = flags["etcd-cafile"];
  const certFile = flags["etcd-certfile"];
  const keyFile = flags["etcd-keyfile"];
  const tls = {
    ...(caFile ? { caFile } : {}),
    ...(certFile ? { certFile } : {}),
    ...(keyFile ? { keyFile } : {}),
  };
  await using opening = new AsyncDisposableStack();
  const storage = opening.use(
    await EtcdStorage.open({
      endpoints,
      prefix: flags["etcd-prefix"],
      compactIntervalMs: flags["etcd-compaction-interval"],
      leaseReuseSeconds: flags["lease-reuse-duration-seconds"],
      clock,
      ...(Object.keys(tls).length > 0 ? { tls } : {}),
    }),
  );
  const timeoutMs = flags["storage-initialization-timeout"];
  await Promise.race([untilServing(storage, clock, timeoutMs, signal), aborted(signal)]);
  signal.throwIfAborted();
  opening.move();
  return storage;
}

/** How often a store that doesn't answer yet is asked again. */
const askAgainMs = 500;

/** Waits for a store that is still starting, but not for ever; rejects with why it can't be had, or the signal's reason. */
export async function untilServing(
  storage: Pick<Storage, "health">,
  clock: Clock,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<void> {
  const endMs = clock.monotonicMs() + timeoutMs;
  for (;;) {
    try {
      return await storage.health();
    } catch (error) {
      if (clock.monotonicMs() >= endMs) throw error;
      await clock.sleep(askAgainMs, signal);
    }
  }
}
