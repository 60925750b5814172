import type { Clock } from "#/std/time/clock.ts";
import type { IpFamily } from "../base/ip-family.ts";

/** The report of /healthz and /livez. Upstream: pkg/proxy/healthcheck/proxy_health.go. */
interface ProxyHealthReport {
  lastUpdated: string;
  readonly currentTime: string;
  nodeEligible?: boolean;
  readonly healthy: boolean;
  readonly status?: Readonly<Record<string, { lastUpdated: string; healthy: boolean }>>;
}

/** Records whether rules are written soon after a change. */
export class ProxyHealth {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #lastUpdated = new Map<IpFamily, number>();
  readonly #oldestPending = new Map<IpFamily, number>();

  constructor(clock: Clock, timeoutMs: number) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  /** Records a change. */
  queued(family: IpFamily): void {
    if (!this.#oldestPending.has(family)) this.#oldestPending.set(family, this.#clock.now());
  }

  /** Records that all changes so far are written. */
  updated(family: IpFamily): void {
    this.#oldestPending.delete(family);
    this.#lastUpdated.set(family, this.#clock.now());
  }

  get healthy(): boolean {
    return [...this.#lastUpdated.keys()].every((family) => this.#isHealthy(family));
  }

  report(): ProxyHealthReport {
    const times = [...this.#lastUpdated].sort(([a], [b]) => (a < b ? -1 : 1));
    const status = Object.fromEntries(
      times.map(([family, at]) => {
        return [family, { lastUpdated: timestamp(at), healthy: this.#isHealthy(family) }];
      }),
    );
    const last = times.length > 0 ? Math.max(...times.map(([, at]) => at)) : undefined;
    return {
      lastUpdated: last === undefined ? "0001-01-01T00:00:00Z" : timestamp(last),
      currentTime: timestamp(this.#clock.now()),
      healthy: this.healthy,
      ...(times.length > 0 ? { status } : {}),
    };
  }

  #isHealthy(family: IpFamily): boolean {
    const since = this.#oldestPending.get(family);
    return since === undefined || this.#clock.now() - since < this.#timeoutMs;
  }
}

function timestamp(ms: number): string {
  return new Date(ms).toISOString();
}
