import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "#/testing/fake-clock.ts";
import { Leases } from "./leases.ts";

/** Leases numbered in the order in which they are granted, and the requested TTLs. */
function fixture(): { clock: FakeClock; leases: Leases; granted: number[] } {
  const clock = new FakeClock();
  const granted: number[] = [];
  const leases = new Leases(clock, async (ttlSeconds) => BigInt(granted.push(ttlSeconds)));
  return { clock, leases, granted };
}

test("Leases shares a lease for a twentieth of the TTL", async () => {
  const { clock, leases, granted } = fixture();
  assert.equal(await leases.lease(200), 1n);
  await clock.advance(9_000);
  assert.equal(await leases.lease(200), 1n);
  await clock.advance(1_000);
  assert.equal(await leases.lease(200), 2n);
  assert.deepEqual(granted, [210, 210]);
});

test("Leases shares a lease for a minute at most", async () => {
  const { clock, leases, granted } = fixture();
  assert.equal(await leases.lease(3600), 1n);
  await clock.advance(59_000);
  assert.equal(await leases.lease(3600), 1n);
  await clock.advance(1_000);
  assert.equal(await leases.lease(3600), 2n);
  assert.deepEqual(granted, [3660, 3660]);
});

test("Leases does not share a lease of a short TTL", async () => {
  const { leases, granted } = fixture();
  assert.deepEqual([await leases.lease(10), await leases.lease(10)], [1n, 2n]);
  assert.deepEqual(granted, [10, 10]);
});

test("Leases keeps one lease for each TTL", async () => {
  const { leases } = fixture();
  const ids = [];
  for (const ttl of [100, 200, 100, 200]) ids.push(await leases.lease(ttl));
  assert.deepEqual(ids, [1n, 2n, 1n, 2n]);
});

test("Leases requests one lease for parallel keys, at most 1000 per lease", async () => {
  const { leases, granted } = fixture();
  const ids = await Promise.all(Array.from({ length: 1001 }, () => leases.lease(3600)));
  assert.equal(granted.length, 2);
  assert.deepEqual([ids[0], ids[999], ids[1000]], [1n, 1n, 2n]);
});

test("Leases does not reuse a refused or expired lease", async () => {
  const clock = new FakeClock();
  let refuse = true;
  const leases = new Leases(clock, async () => {
    if (refuse) throw new Error("refused");
    return 7n;
  });
  await assert.rejects(leases.lease(100), /refused/);
  refuse = false;
  assert.equal(await leases.lease(100), 7n);

  const other = fixture();
  await other.leases.lease(100);
  other.leases.forget(100);
  assert.equal(await other.leases.lease(100), 2n);
});
