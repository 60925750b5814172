import { orAborted } from "#/std/async/aborted.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Balancer } from "./balancer.ts";

/** Intervals (ms): of checks that the used server runs, that it works, and of checks of the others. */
const runsMs = 400;
const worksMs = 1_000;
const othersMs = 5_000;
/** Time (ms) after which the answer of a server that runs is late. */
const lateMs = 1_200;
/** The same as long as (ms) a server is busy with clients that have come from another one. */
const lateAtFirstMs = 2_500;
const firstMs = 10_000;
/** Limits of the time (ms) to an answer: that it runs, and that it works, for which it has two seconds itself. */
const aliveMs = 6_000;
const readyMs = 2_500;
/** Checks in a row (count) by which a server that runs does not work: it may be about to use another member of its store. */
const maxUnready = 2;

type Health = "up" | "down" | "silent";

/** Checks a server; replaced in tests. */
type Check = (
  address: string,
  options: { readonly path: string; readonly timeoutMs: number },
) => Promise<Health>;

/**
 * Reports the health of the servers to the balancer until the signal aborts. The used one is asked often whether it runs, which
 * costs it next to nothing, and more rarely whether its store works, which costs a read. On a busy machine all servers are slow:
 * the used one is left for one that is faster, as those who change the server cost time as well. A single server is not asked:
 * connections have no other.
 */
export async function watchHealth(
  balancer: Balancer,
  check: Check,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const every = async (intervalMs: number, work: () => Promise<unknown>): Promise<void> => {
    while (!signal.aborted) {
      if (!balancer.hasSeveral) {
        await orAborted(balancer.untilSeveral(), signal).catch(() => undefined);
        continue;
      }
      await work();
      await clock.sleep(intervalMs, signal).catch(() => undefined);
    }
  };
  const watch = new HealthWatch(balancer, check, clock);
  await Promise.all([
    every(runsMs, () => watch.checkRuns()),
    every(worksMs, () => watch.checkWorks()),
    every(othersMs, () => watch.checkOthers()),
  ]);
}

class HealthWatch {
  readonly #balancer: Balancer;
  readonly #check: Check;
  readonly #clock: Clock;
  /** The server that is used, since when (ms), and its checks in a row by which it does not work. */
  #used = { address: "", sinceMs: Number.NEGATIVE_INFINITY, unready: 0 };

  constructor(balancer: Balancer, check: Check, clock: Clock) {
    this.#balancer = balancer;
    this.#check = check;
    this.#clock = clock;
  }

  async checkRuns(): Promise<void> {
    const used = this.#findUsed();
    if (!used) return;
    const answer = this.#ask(used.address);
    const isNew = this.#clock.monotonicMs() - used.sinceMs < firstMs;
    let health = await inTime(answer, isNew ? lateAtFirstMs : lateMs, this.#clock);
    // That it runs does not show that it works.
    if (health === "up") return;
    const others = this.checkOthers();
    if (health === "silent") {
      const isOtherFaster = anyUp(this.#others().map((address) => this.#ask(address)));
      const left = isOtherFaster.then((isFaster) => (isFaster ? "silent" : answer));
      health = await Promise.race([answer, left]);
    }
    if (health !== "up") this.#balancer.report(used.address, false);
    await others;
  }

  async checkWorks(): Promise<void> {
    const used = this.#findUsed();
    if (!used) return;
    const { address } = used;
    const health = await this.#check(address, { path: "/readyz", timeoutMs: readyMs });
    used.unready = health === "up" ? 0 : used.unready + 1;
    if (health === "up") this.#balancer.report(address, true);
    if (used.unready >= maxUnready) {
      this.#balancer.report(address, false);
      await this.checkOthers();
    }
  }

  /** The others may be needed at once: all are asked at the same time. */
  async checkOthers(): Promise<void> {
    const checks = this.#others().map(async (address) => {
      const health = await this.#check(address, { path: "/readyz", timeoutMs: readyMs });
      // It may be used by now.
      if (address !== this.#balancer.current) this.#balancer.report(address, health === "up");
    });
    await Promise.all(checks);
  }

  #ask(address: string): Promise<Health> {
    return this.#check(address, { path: "/version", timeoutMs: aliveMs });
  }

  #others(): string[] {
    const { addresses, current } = this.#balancer;
    return addresses.filter((address) => address !== current);
  }

  #findUsed() {
    const { current } = this.#balancer;
    if (current === undefined) return undefined;
    if (current !== this.#used.address) {
      const isFirst = this.#used.address === "";
      const sinceMs = isFirst ? Number.NEGATIVE_INFINITY : this.#clock.monotonicMs();
      this.#used = { address: current, sinceMs, unready: 0 };
    }
    return this.#used;
  }
}

/** The answer; "silent" if it is late. */
async function inTime(answer: Promise<Health>, limitMs: number, clock: Clock): Promise<Health> {
  const late = Promise.withResolvers<Health>();
  using _timer = clock.setTimer(limitMs, () => late.resolve("silent"));
  return await Promise.race([answer, late.promise]);
}

/** Resolves once one of them works, or when none of them does. */
async function anyUp(checks: readonly Promise<Health>[]): Promise<boolean> {
  const up = checks.map(async (one) => {
    if ((await one) !== "up") throw new Error("it does not work");
    return true;
  });
  return await Promise.any(up).catch(() => false);
}
