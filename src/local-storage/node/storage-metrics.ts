import { GrpcError } from "#/std/grpc/grpc.ts";
import type { Registry } from "#/std/metrics/metrics.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Pool } from "../pool/pool.ts";

type CountedPool = Pick<Pool, "volumes" | "snapshots">;
type Call = (...given: never[]) => Promise<unknown>;
/** Makes handlers of calls that are counted and timed. */
export type TimeCalls = <Calls extends object>(calls: Calls) => Calls;

/** Bounds (s) of the duration of a call: a mount takes milliseconds, a copy of a large volume minutes. */
const callBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** Registers the metrics of a node's volumes, and returns how its calls are timed. */
export function storageMetrics(registry: Registry, pool: CountedPool, clock: Clock): TimeCalls {
  const volumes = registry.gauge({
    name: "local_storage_volumes",
    help: "Number of volumes of this node.",
  });
  const snapshots = registry.gauge({
    name: "local_storage_snapshots",
    help: "Number of snapshots of this node.",
  });
  const promised = registry.gauge({
    name: "local_storage_volume_capacity_bytes",
    help: "Sum of the sizes of volumes of this node.",
  });
  registry.beforeExpose(() => {
    volumes.set(pool.volumes.length);
    snapshots.set(pool.snapshots.length);
    promised.set(pool.volumes.reduce((sum, { capacityBytes }) => sum + capacityBytes, 0));
  });
  const duration = registry.histogram({
    name: "local_storage_operations_seconds",
    help: "Duration of calls of the CSI driver, by their name and status.",
    labels: ["grpc_status_code", "method_name"],
    buckets: callBuckets,
  });
  const timed =
    (method: string, call: Call): Call =>
    async (...given) => {
      const startMs = clock.monotonicMs();
      let code = "OK";
      try {
        return await call(...given);
      } catch (error) {
        code = error instanceof GrpcError ? error.code : "INTERNAL";
        throw error;
      } finally {
        const labels = { grpc_status_code: code, method_name: method };
        duration.with(labels).observe((clock.monotonicMs() - startMs) / 1000);
      }
    };
  return <Calls extends object>(calls: Calls): Calls => {
    const entries = Object.entries(calls).map(([name, call]) => [name, timed(name, call as Call)]);
    return Object.fromEntries(entries) as Calls;
  };
}
