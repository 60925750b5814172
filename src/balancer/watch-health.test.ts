import assert from "node:assert/strict";
import { test } from "node:test";
import { logger } from "#/std/log/log.ts";
import { nextTurn } from "#/std/time/clock.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { Balancer } from "./balancer.ts";
import { watchHealth } from "./watch-health.ts";

const [one, two] = ["https://192.0.2.1:6443", "https://192.0.2.2:6443"];

test("watchHealth() asks the servers as long as there are several", async () => {
  const clock = new FakeClock();
  const balancer = new Balancer({ clock, log: logger("test"), own: one });
  const stop = new AbortController();
  const asked = new Set<string>();
  const check = async (address: string, { path }: { readonly path: string }) => {
    asked.add(`${address}${path}`);
    return "up" as const;
  };
  const askedWith = async (...servers: readonly string[]): Promise<string[]> => {
    balancer.setServers(servers);
    await clock.advance(5_000);
    asked.clear();
    await clock.advance(10_000);
    return [...asked].sort();
  };
  const watching = watchHealth(balancer, check, clock, stop.signal);
  assert.deepEqual(await askedWith(one), []);
  const all = [`${one}/readyz`, `${one}/version`, `${two}/readyz`];
  assert.deepEqual(await askedWith(one, two), all);
  assert.deepEqual(await askedWith(one), []);
  assert.deepEqual(await askedWith(one, two), all);
  assert.equal(balancer.current, one);
  stop.abort();
  await watching;
  assert.deepEqual(await askedWith(one, two), []);
});

type Health = "up" | "down" | "silent";

/** Servers by their time to an answer (ms), or without any, or that run without a store. */
type Answers = Record<string, number | "never" | "down" | "unready">;

/** Runs checks of servers for some time, and returns the one that is used every 100 ms, without repetitions. */
async function usedServers(
  answers: Answers,
  changes: readonly { readonly atMs: number; readonly answers: Answers }[],
  untilMs: number,
): Promise<string[]> {
  const clock = new FakeClock();
  const balancer = new Balancer({ clock, log: logger("test"), own: undefined });
  const stop = new AbortController();
  let now = answers;
  const check = async (
    address: string,
    { path, timeoutMs }: { readonly path: string; readonly timeoutMs: number },
  ): Promise<Health> => {
    const answer = now[address] ?? "never";
    if (answer === "down") return "down";
    if (answer === "unready") return path === "/readyz" ? "down" : "up";
    const isSilent = answer === "never" || answer > timeoutMs;
    await clock.sleep(isSilent ? timeoutMs : answer);
    return isSilent ? "silent" : "up";
  };
  balancer.setServers(Object.keys(answers));
  const watching = watchHealth(balancer, check, clock, stop.signal);
  const used: string[] = [];
  for (let ms = 0; ms < untilMs; ms += 100) {
    now = changes.findLast(({ atMs }) => atMs <= ms)?.answers ?? answers;
    await clock.advance(100);
    for (let turn = 0; turn < 10; turn++) await nextTurn();
    const { current = "" } = balancer;
    if (used.at(-1)?.split(" ")[0] !== current) used.push(`${current} ${ms}`);
  }
  stop.abort();
  await clock.advance(10_000);
  await watching;
  return used;
}

const quick = { a: 10, b: 10, c: 10 };

test("watchHealth() has a server that is silent left for another one within two seconds", async () => {
  const [first, second = ""] = await usedServers(
    quick,
    [{ atMs: 10_000, answers: { a: "never", b: 10, c: 10 } }],
    14_000,
  );
  assert.equal(first, "a 0");
  const [address, ms] = second.split(" ");
  assert.notEqual(address, "a");
  assert.ok(Number(ms) >= 11_000 && Number(ms) <= 12_000, second);
});

test("watchHealth() stays with a server that is as slow as the others", async () => {
  const slow = { a: 2_400, b: 2_400, c: 2_400 };
  assert.deepEqual(await usedServers(quick, [{ atMs: 5_000, answers: slow }], 40_000), ["a 0"]);
});

test("watchHealth() has a silent server left although all others are slow", async () => {
  const [, second = ""] = await usedServers(
    quick,
    [{ atMs: 10_000, answers: { a: "never", b: 2_400, c: 2_400 } }],
    20_000,
  );
  assert.ok(Number(second.split(" ")[1]) <= 14_000, second);
});

test("watchHealth() has a server that refuses left at its next check", async () => {
  const [, second = ""] = await usedServers(
    quick,
    [{ atMs: 10_000, answers: { a: "down", b: 10, c: 10 } }],
    14_000,
  );
  assert.ok(Number(second.split(" ")[1]) <= 10_600, second);
});

test("watchHealth() has a server whose store does not work left after two checks", async () => {
  const [, second = ""] = await usedServers(
    quick,
    [{ atMs: 10_000, answers: { a: "unready", b: 10, c: 10 } }],
    16_000,
  );
  const ms = Number(second.split(" ")[1]);
  assert.ok(ms >= 10_900 && ms <= 12_500, second);
});

test("watchHealth() does not have servers left one after the other when all are too slow", async () => {
  const slow = { a: 4_000, b: 4_000, c: 4_000 };
  assert.deepEqual(await usedServers(quick, [{ atMs: 5_000, answers: slow }], 60_000), ["a 0"]);
});
