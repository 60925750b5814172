import { orAborted } from "#/std/async/aborted.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Balancer } from "./balancer.ts";

/** Intervals (ms): of checks that the used server runs, that it works, and of checks of the others. */
const runsMs = 400;
const worksMs = 1_000;
const othersMs = 5_000;
/** Limits of the time (ms) to an answer. */
const aliveMs = 1_200;
const readyMs = 1_500;

/** Checks a server; replaced in tests. */
type Check = (
  address: string,
  options: { readonly path: string; readonly timeoutMs: number },
) => Promise<"up" | "down" | "silent">;

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
  await Promise.all([
    every(runsMs, () => checkUsed(balancer, check, clock, "/version")),
    every(worksMs, () => checkUsed(balancer, check, clock, "/readyz")),
    every(othersMs, () => checkOthers(balancer, check)),
  ]);
}

async function checkUsed(
  balancer: Balancer,
  check: Check,
  clock: Clock,
  path: string,
): Promise<void> {
  const { current } = balancer;
  if (current === undefined) return;
  const timeoutMs = path === "/readyz" ? readyMs : aliveMs;
  const startMs = clock.monotonicMs();
  const health = await check(current, { path, timeoutMs });
  // A program that was stopped for longer has not given the server this time.
  if (health === "silent" && clock.monotonicMs() - startMs > 2 * timeoutMs) return;
  // That it runs does not show that it works.
  if (health === "up" && path !== "/readyz") return;
  if (health !== "up") await checkOthers(balancer, check);
  balancer.report(current, health === "up");
}

/** The others may be needed at once: all are asked at the same time. */
async function checkOthers(balancer: Balancer, check: Check): Promise<void> {
  const others = balancer.addresses.filter((address) => address !== balancer.current);
  await Promise.all(
    others.map(async (address) => {
      const health = await check(address, { path: "/readyz", timeoutMs: aliveMs });
      balancer.report(address, health === "up");
    }),
  );
}
