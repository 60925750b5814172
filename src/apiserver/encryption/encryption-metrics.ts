import type { MaybePromise } from "#/std/base/maybe-promise.ts";
import { GrpcError } from "#/std/grpc/grpc.ts";
import type { Counter, Histogram } from "#/std/metrics/metric-series.ts";
import {
  exponentialBuckets,
  type Labelled,
  type Registry as Metrics,
} from "#/std/metrics/metrics.ts";
import type { Clock } from "#/std/time/clock.ts";

/** Direction of a transformation. */
type Direction = "to_storage" | "from_storage";

/**
 * Metrics of encryption at rest.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/storage/value/metrics.go, encrypt/envelope/metrics/metrics.go.
 */
export class EncryptionMetrics {
  readonly #clock: Clock;
  readonly #operations: Labelled<
    "resource" | "transformation_type" | "transformer_prefix" | "status",
    Counter
  >;
  readonly #duration: Labelled<"transformation_type" | "transformer_prefix", Histogram>;
  readonly #calls: Labelled<"provider_name" | "method_name" | "grpc_status_code", Histogram>;

  constructor(metrics: Metrics, clock: Clock) {
    this.#clock = clock;
    const stability = "ALPHA";
    this.#operations = metrics.counter({
      name: "apiserver_storage_transformation_operations_total",
      help: "Values that were encrypted and decrypted, by resource, provider and outcome.",
      stability,
      labels: ["resource", "transformation_type", "transformer_prefix", "status"],
    });
    this.#duration = metrics.histogram({
      name: "apiserver_storage_transformation_duration_seconds",
      help: "How long it took to encrypt and decrypt values, by provider.",
      stability,
      labels: ["transformation_type", "transformer_prefix"],
      buckets: exponentialBuckets(5e-6, 2, 25),
    });
    this.#calls = metrics.histogram({
      name: "apiserver_envelope_encryption_kms_operations_latency_seconds",
      help: "How long key management plugins took, by method and outcome.",
      stability,
      labels: ["provider_name", "method_name", "grpc_status_code"],
      buckets: exponentialBuckets(0.0001, 2, 20),
    });
  }

  /** Encrypts or decrypts, and records the outcome. */
  async transformed<T>(
    value: { readonly resource: string; readonly direction: Direction; readonly prefix: string },
    transform: () => MaybePromise<T>,
  ): Promise<T> {
    const { resource, direction, prefix } = value;
    const labels = { transformation_type: direction, transformer_prefix: prefix };
    const startMs = this.#clock.monotonicMs();
    try {
      const result = await transform();
      this.#duration.with(labels).observe((this.#clock.monotonicMs() - startMs) / 1000);
      this.#operations.with({ ...labels, resource, status: "OK" }).inc();
      return result;
    } catch (error) {
      this.#operations.with({ ...labels, resource, status: "unknown-non-grpc" }).inc();
      throw error;
    }
  }

  /** Calls a plugin, and records the outcome. */
  async called<T>(provider: string, method: string, call: () => Promise<T>): Promise<T> {
    const startMs = this.#clock.monotonicMs();
    let status = "OK";
    try {
      return await call();
    } catch (error) {
      status = error instanceof GrpcError ? goCodeName(error.code) : "unknown-non-grpc";
      throw error;
    } finally {
      const labels = { provider_name: provider, method_name: method, grpc_status_code: status };
      this.#calls.with(labels).observe((this.#clock.monotonicMs() - startMs) / 1000);
    }
  }
}

/** Go's name of a gRPC code: DEADLINE_EXCEEDED is DeadlineExceeded. */
const goCodeName = (code: string): string =>
  code.toLowerCase().replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
