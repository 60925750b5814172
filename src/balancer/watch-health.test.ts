import assert from "node:assert/strict";
import { test } from "node:test";
import { logger } from "#/std/log/log.ts";
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
