import { createHash } from "node:crypto";
import { hostname } from "node:os";
import type { Counter, Gauge } from "#/std/metrics/metric-series.ts";
import type { Labelled, Registry as Metrics } from "#/std/metrics/metrics.ts";
import type { Clock } from "#/std/time/clock.ts";
import { leaseName } from "../../model/lease-name.ts";

/** A configuration with a file that may change while the server runs. */
interface ReloadedConfiguration {
  /** Its name in metrics, e.g. "encryption_config_controller". */
  readonly subsystem: string;
  readonly stability: "ALPHA" | "BETA";
}

/**
 * Metrics of the configuration in use and of its reloads.
 *
 * Upstream:
 * staging/src/k8s.io/apiserver/pkg/server/options/{encryptionconfig,authenticationconfig,authorizationconfig}/metrics/metrics.go.
 */
export class ConfigReloads {
  readonly #clock: Clock;
  readonly #reloads: Labelled<"status" | "apiserver_id_hash", Counter>;
  readonly #lastReload: Labelled<"status" | "apiserver_id_hash", Gauge>;
  readonly #inUse: Labelled<"hash" | "apiserver_id_hash", Gauge>;
  /** The id of this API server among several. */
  readonly #server = { apiserver_id_hash: digestOf(leaseName(hostname())) };

  constructor(metrics: Metrics, clock: Clock, { subsystem, stability }: ReloadedConfiguration) {
    this.#clock = clock;
    const prefix = `apiserver_${subsystem}_`;
    const reload = { stability, labels: ["status", "apiserver_id_hash"] } as const;
    this.#reloads = metrics.counter({
      name: `${prefix}automatic_reloads_total`,
      help: "Changes of the configuration, by whether they could be used.",
      ...reload,
    });
    this.#lastReload = metrics.gauge({
      name: `${prefix}automatic_reload_last_timestamp_seconds`,
      help: "When the configuration last changed, by whether it could be used.",
      ...reload,
    });
    this.#inUse = metrics.gauge({
      name: `${prefix}last_config_info`,
      help: "The configuration in use, by its digest.",
      stability: "ALPHA",
      labels: ["hash", "apiserver_id_hash"],
    });
  }

  /** The same reader of the file, with its results recorded; from the second call on, as reloads. */
  followed<T>(read: (bytes: Buffer) => T): (bytes: Buffer) => T {
    let isFirst = true;
    return (bytes) => {
      try {
        const value = read(bytes);
        if (!isFirst) this.#reloaded("success");
        isFirst = false;
        this.#inUse.reset();
        this.#inUse.with({ ...this.#server, hash: digestOf(bytes) }).set(1);
        return value;
      } catch (error) {
        if (!isFirst) this.#reloaded("failure");
        throw error;
      }
    };
  }

  #reloaded(status: "success" | "failure"): void {
    this.#reloads.with({ ...this.#server, status }).inc();
    this.#lastReload.with({ ...this.#server, status }).set(this.#clock.now() / 1000);
  }
}

function digestOf(data: string | Buffer): string {
  return `sha256:${createHash("sha256").update(data).digest("hex")}`;
}
