import { orAborted } from "#/std/async/aborted.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Balancer } from "./balancer.ts";

/** Intervals (ms): of checks that the used server runs, that it works, and of checks of the others. */
const runsMs = 400;
const worksMs = 1_000;
const othersMs = 5_000;
/** Times (ms) after which an answer of the used server is late, and the others are asked. */
const aliveMs = 1_200;
const readyMs = 1_500;
/** Limit of the time (ms) to an answer. On a busy machine all servers are slow: the used one is left for one that is faster. */
const patienceMs = 6_000;

type Health = "up" | "down" | "silent";

/** Checks a server; replaced in tests. */
type Check = (
  address: string,
  options: { readonly path: string; readonly timeoutMs: number },
) => Promise<Health>;

/**
 * Reports the health of the servers to the balancer until the signal aborts. The used one is asked often whether it runs, which
 * costs it next to nothing, and more rarely whether its store works, which costs a read. A single server is not asked:
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
  const used = (path: string, lateMs: number) => () =>
    checkUsed(balancer, check, { clock, path, lateMs });
  await Promise.all([
    every(runsMs, used("/version", aliveMs)),
    every(worksMs, used("/readyz", readyMs)),
    every(othersMs, () => Promise.all(checkOthers(balancer, check))),
  ]);
}

interface UsedCheck {
  readonly clock: Clock;
  readonly path: string;
  readonly lateMs: number;
}

async function checkUsed(
  balancer: Balancer,
  check: Check,
  { clock, path, lateMs }: UsedCheck,
): Promise<void> {
  const { current } = balancer;
  if (current === undefined) return;
  const answer = check(current, { path, timeoutMs: patienceMs });
  let health = await inTime(answer, lateMs, clock);
  if (health !== "up") {
    const others = checkOthers(balancer, check);
    const isOtherUp = anyUp(others);
    const left = isOtherUp.then((isUp) => (isUp ? "silent" : answer));
    health = await Promise.race([answer, left]);
    if (health !== "up") await isOtherUp;
  }
  // That it runs does not show that it works.
  if (health === "up" && path !== "/readyz") return;
  balancer.report(current, health === "up");
}

/** The answer; "silent" if it is late. */
async function inTime(answer: Promise<Health>, lateMs: number, clock: Clock): Promise<Health> {
  const late = Promise.withResolvers<Health>();
  using _timer = clock.setTimer(lateMs, () => late.resolve("silent"));
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

/** The others may be needed at once: all are asked at the same time. */
function checkOthers(balancer: Balancer, check: Check): Promise<Health>[] {
  const others = balancer.addresses.filter((address) => address !== balancer.current);
  return others.map(async (address) => {
    const health = await check(address, { path: "/readyz", timeoutMs: patienceMs });
    balancer.report(address, health === "up");
    return health;
  });
}
