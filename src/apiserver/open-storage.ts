import { join } from "node:path";
import { aborted } from "#/std/async/aborted.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Storage } from "#/storage/base/storage.ts";
import type { ApiServerFlags } from "./flags/index.ts";
import { untilServing } from "./until-serving.ts";

/** The store of the flags: etcd if servers are given, else the embedded one. An abort ends the wait for it. */
export async function openStorage(
  flags: ApiServerFlags,
  clock: Clock,
  signal: AbortSignal,
): Promise<Storage> {
  const endpoints = flags["etcd-servers"];
  // Each is loaded on demand: gRPC alone takes 50 ms.
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
