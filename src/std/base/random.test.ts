import assert from "node:assert/strict";
import { test } from "node:test";
import { drawUuid, randomInt, replaceSystemRandom, seededRandom, systemRandom } from "./random.ts";

test("seededRandom() repeats itself for the same seed only", () => {
  const take = (seed: number) => Array.from({ length: 5 }, seededRandom(seed));
  assert.deepEqual(take(1), take(1));
  assert.notDeepEqual(take(1), take(2));
});

test("drawUuid() is a UUID of version 4 that depends on the seed", () => {
  const uuid = drawUuid(seededRandom(1));
  assert.match(uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal(drawUuid(seededRandom(1)), uuid);
  assert.notEqual(drawUuid(seededRandom(2)), uuid);
});

test("replaceSystemRandom() lasts until it is disposed", () => {
  const other = () => 0.25;
  {
    using _replaced = replaceSystemRandom(other);
    assert.deepEqual([systemRandom(), systemRandom()], [0.25, 0.25]);
  }
  assert.notDeepEqual([systemRandom(), systemRandom()], [0.25, 0.25]);
});

for (const [name, random] of Object.entries({ seeded: seededRandom(3), system: systemRandom })) {
  test(`randomInt() spreads evenly over its range (${name})`, () => {
    const counts = [0, 0, 0, 0];
    for (let draw = 0; draw < 40_000; draw++) {
      const index = randomInt(random, 4);
      counts[index] = (counts[index] ?? 0) + 1;
    }
    assert.equal(counts.length, 4);
    for (const count of counts) assert.ok(Math.abs(count - 10_000) < 600, `${counts}`);
  });
}
