import type { Service } from "#/api/core/v1.ts";
import type { EndpointSlice } from "#/api/discovery/v1.ts";
import type { Logger } from "#/std/log/log.ts";
import type { FollowRemovals } from "#/std/netfilter/removals.ts";
import type { RunProgram } from "#/std/process/run-program.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Backend, RoutedPort, SyncRequest } from "./base/backend.ts";
import { BoundedRunner } from "./base/bounded-runner.ts";
import type { IpFamily } from "./base/ip-family.ts";
import { machineIps } from "./base/machine-ips.ts";
import type { ProxyMetrics, ProxyMode } from "./base/metrics.ts";
import type { ProxySteps } from "./base/proxy-steps.ts";
import { ServiceTracker, type TrackedChanges } from "./base/service-tracker.ts";
import { UnservedPolicies } from "./base/unserved-policies.ts";
import { forgetStaleFlows } from "./conntrack/forget-stale-flows.ts";
import type { ProxyHealth } from "./health/proxy-health.ts";
import type { ServiceHealth } from "./health/service-health.ts";

/** Interval of full writes (ms), in case another program changed our rules. */
const fullSyncMs = 60 * 60 * 1000;
/** Interval of removals of idle state (ms). */
const idleMs = 60 * 1000;
/** Removals within this time (ms) are handled together: a flush reports many. */
const removalSettleMs = 200;

interface ProxierOptions {
  readonly mode: ProxyMode;
  readonly family: IpFamily;
  readonly nodeName: string;
  readonly backend: Backend;
  readonly health: ProxyHealth;
  readonly serviceHealth: ServiceHealth;
  readonly metrics: ProxyMetrics;
  readonly clock: Clock;
  readonly log: Logger;
  readonly run: RunProgram;
  readonly followRemovals: FollowRemovals;
  readonly minSyncMs: number;
  readonly syncMs: number;
  readonly steps?: ProxySteps;
}

/** Keeps the kernel's rules of one family in step with Services and EndpointSlices. */
export class Proxier {
  readonly #options: ProxierOptions;
  readonly #tracker: ServiceTracker;
  readonly #runner: BoundedRunner;
  readonly #unserved: UnservedPolicies;
  readonly #startedAt: number;
  #serviceCidrs: readonly string[] = [];
  #needsFull = true;
  #lastFullAt = 0;
  #ready = false;
  /** Whether a check of our rules is due. */
  #removalNoted = false;

  constructor(options: ProxierOptions) {
    this.#options = options;
    this.#tracker = new ServiceTracker(options.family, options.nodeName);
    this.#unserved = new UnservedPolicies(options.mode);
    this.#startedAt = options.clock.now();
    this.#runner = new BoundedRunner({
      clock: options.clock,
      minMs: options.minSyncMs,
      retryMs: options.syncMs,
      maxMs: fullSyncMs,
      run: () => this.sync(),
    });
  }

  setService(key: string, service: Service | undefined): void {
    this.#options.metrics.serviceChanges.inc();
    if (this.#tracker.setService(key, service)) this.#request();
    this.#options.metrics.serviceChangesPending.set(this.#tracker.pending);
  }

  setSlice(slice: EndpointSlice, gone: boolean): void {
    if (slice.addressType !== this.#options.family) return;
    this.#options.metrics.endpointChanges.inc();
    if (!this.#tracker.setSlice(slice, gone)) return;
    this.#options.metrics.endpointChangesPending.inc();
    this.#request();
  }

  setZone(zone: string | undefined): void {
    if (!this.#tracker.setZone(zone)) return;
    this.#needsFull = true;
    this.#request();
  }

  setServiceCidrs(cidrs: readonly string[]): void {
    this.#serviceCidrs = cidrs;
    this.#request();
  }

  /** Starts writing: before all objects are known, a write would remove rules of unknown ones. */
  start(): void {
    this.#ready = true;
    this.#request();
  }

  /** Writes rules after changes, until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, health, family, syncMs, backend } = this.#options;
    health.updated(family);
    using _watch = clock.every(syncMs, () => void this.#checkRemoved(backend));
    using _idle = clock.every(idleMs, () => void this.#removeIdle(backend));
    using _removals = this.#options.followRemovals((removal) => this.#noteRemoval(removal));
    await this.#runner.loop(signal);
  }

  /** Writes the changes; returns whether that succeeded. */
  async sync(): Promise<boolean> {
    if (!this.#ready) return true;
    const { clock, metrics, family, log } = this.#options;
    const began = clock.monotonicMs();
    const full = this.#needsFull || clock.now() - this.#lastFullAt >= fullSyncMs;
    const changes = this.#tracker.take(full);
    metrics.serviceChangesPending.set(0);
    metrics.endpointChangesPending.set(0);
    try {
      await this.#write(full, changes);
    } catch (error) {
      this.#needsFull = true;
      log.error(error, "sync failed", { ipFamily: family, retryingTime: this.#options.syncMs });
      return false;
    } finally {
      const seconds = (clock.monotonicMs() - began) / 1000;
      const labels = { ip_family: family };
      metrics.syncDuration.with(labels).observe(seconds);
      (full ? metrics.fullSyncDuration : metrics.partialSyncDuration).with(labels).observe(seconds);
      log.v(2, "SyncProxyRules complete", { ipFamily: family, full, seconds });
    }
    this.#options.steps?.written(family);
    await this.#afterSync(changes);
    return true;
  }

  async #write(full: boolean, changes: TrackedChanges): Promise<void> {
    if (full) this.#unserved.clear();
    const services = this.#noted(changes.services);
    const totalEndpoints = this.#tracker.endpointCount();
    const addresses = () => ({ machineIps: machineIps(), serviceCidrs: this.#serviceCidrs });
    await this.#options.backend.sync({ full, services, addresses, totalEndpoints });
    this.#reportUnserved();
    if (!full) return;
    this.#needsFull = false;
    this.#lastFullAt = this.#options.clock.now();
  }

  /** The services, each noted as it is read. */
  *#noted(services: SyncRequest["services"]): Generator<readonly [string, readonly RoutedPort[]]> {
    for (const [key, ports] of services) {
      this.#unserved.set(key, ports);
      yield [key, ports];
    }
  }

  #reportUnserved(): void {
    const { metrics, family } = this.#options;
    const unserved = this.#unserved.total();
    for (const policy of ["internal", "external"] as const) {
      const labels = { traffic_policy: policy, ip_family: family };
      metrics.noLocalEndpoints.with(labels).set(unserved[policy]);
    }
  }

  async #afterSync({ triggerTimes, udpEndpoints }: TrackedChanges): Promise<void> {
    const { clock, metrics, family, health, serviceHealth, log } = this.#options;
    const labels = { ip_family: family };
    for (const at of triggerTimes) {
      if (at < this.#startedAt) continue;
      metrics.programming.with(labels).observe((clock.now() - at) / 1000);
    }
    health.updated(family);
    metrics.lastSync.with(labels).set(clock.now() / 1000);
    await serviceHealth.sync(this.#tracker.healthChecks());
    if (!udpEndpoints) return;
    const began = clock.monotonicMs();
    try {
      const deleted = await forgetStaleFlows(family, this.#tracker.ports(), this.#options);
      metrics.conntrackDeleted.with(labels).inc(deleted);
      metrics.conntrackDuration.with(labels).observe((clock.monotonicMs() - began) / 1000);
    } catch (error) {
      log.error(error, "failed to list conntrack entries", { ipFamily: family });
    }
  }

  async #removeIdle(backend: Backend): Promise<void> {
    const { log, family } = this.#options;
    await backend.removeIdle?.().catch((error: unknown) => {
      log.error(error, "failed to remove idle servers", { ipFamily: family });
    });
  }

  #noteRemoval(removal: string): void {
    const { clock, backend } = this.#options;
    if (this.#removalNoted || (removal !== "" && !backend.isConcerned(removal))) return;
    this.#removalNoted = true;
    clock.setTimer(removalSettleMs, () => {
      this.#removalNoted = false;
      void this.#checkRemoved(backend);
    });
  }

  async #checkRemoved(backend: Backend): Promise<void> {
    if (!this.#ready || this.#needsFull || !(await backend.removed())) return;
    const { log, family } = this.#options;
    log.info("rewriting rules removed by another program", { ipFamily: family });
    this.#needsFull = true;
    this.#request();
  }

  #request(): void {
    if (!this.#ready) return;
    const { health, metrics, clock, family } = this.#options;
    health.queued(family);
    metrics.lastQueued.with({ ip_family: family }).set(clock.now() / 1000);
    this.#runner.request();
  }
}
