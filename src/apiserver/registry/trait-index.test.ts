import assert from "node:assert/strict";
import { test } from "node:test";
import { configMaps } from "#/api/core/v1.ts";
import { schemaOf } from "#/machinery/schema/kinds.ts";
import { randomInt, seededRandom } from "#/std/base/random.ts";
import { storedJson } from "./stored-json.ts";
import { StoredObject } from "./stored-object.ts";
import { serve } from "./strategy.ts";
import { type Trait, TraitIndex } from "./trait-index.ts";

const codec = storedJson(serve(configMaps), schemaOf);
const label = (key: string): Trait => ({ name: key, of: ({ labels }) => labels?.[key] });

function stored(name: string, labels: Record<string, string>, revision = 1): StoredObject {
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name, labels } };
  const entry = {
    key: `/registry/${name}`,
    value: codec.encode(object).bytes,
    modRevision: revision,
  };
  return new StoredObject(entry, codec, object);
}

/** Looks up repeatedly until there is an index, or there never will be. */
function ask(index: TraitIndex, trait: Trait, value: string, objects: readonly StoredObject[]) {
  for (let asks = 0; asks < 2; asks++) index.find(trait, value, () => objects);
  return index.find(trait, value, () => objects);
}

test("TraitIndex indexes a trait on its third lookup", () => {
  const index = new TraitIndex();
  const objects = [stored("a", { app: "x" }), stored("b", {}), stored("c", { app: "x" })];
  const answers = [1, 2, 3, 4].map(() => index.find(label("app"), "x", () => objects));
  const found = [objects[0], objects[2]];
  assert.deepEqual(answers, [undefined, undefined, found, found]);
  assert.deepEqual(ask(index, label("app"), "y", objects), []);
});

test("TraitIndex finds the same objects as a full scan, after any changes", () => {
  const random = seededRandom(3);
  const index = new TraitIndex();
  const byKey = new Map<string, StoredObject>();
  const all = (): StoredObject[] => [...byKey.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  for (let round = 0; round < 2000; round++) {
    const name = `object-${randomInt(random, 60)}`;
    const previous = byKey.get(`/registry/${name}`);
    const labels = randomInt(random, 5) === 0 ? {} : { app: `app-${randomInt(random, 6)}` };
    const object = randomInt(random, 3) === 0 ? undefined : stored(name, labels, round);
    index.change(previous, object);
    if (object) byKey.set(object.key, object);
    else byKey.delete(`/registry/${name}`);
    const value = `app-${randomInt(random, 7)}`;
    const expected = all().filter((one) => one.labels?.["app"] === value);
    const found = index.find(label("app"), value, all);
    if (round > 2) assert.deepEqual(found, expected, `round ${round}`);
  }
});

test("TraitIndex does not change a result that it has returned", () => {
  const index = new TraitIndex();
  const [a, b] = [stored("a", { app: "x" }), stored("b", { app: "x" })];
  const found = ask(index, label("app"), "x", [a, b]);
  index.change(a, undefined);
  index.change(b, stored("b", { app: "x" }, 2));
  assert.deepEqual(found, [a, b]);
  assert.equal(index.find(label("app"), "x", () => [])?.[0]?.revision, 2);
});

test("TraitIndex does not index a value that too many objects have", () => {
  const index = new TraitIndex({ traits: 4, values: 10, objects: 2 });
  const objects = ["a", "b", "c"].map((name) => stored(name, { app: "x" }));
  const other = stored("d", { app: "y" });
  assert.equal(ask(index, label("app"), "x", [...objects, other]), undefined);
  assert.deepEqual(
    index.find(label("app"), "y", () => []),
    [other],
  );
  for (const object of objects) index.change(object, undefined);
  assert.equal(
    index.find(label("app"), "x", () => []),
    undefined,
  );
});

test("TraitIndex drops a trait with too many values", () => {
  const index = new TraitIndex({ traits: 4, values: 2, objects: 10 });
  const objects = ["a", "b"].map((name) => stored(name, { app: name }));
  assert.deepEqual(ask(index, label("app"), "a", objects), [objects[0]]);
  index.change(undefined, stored("c", { app: "c" }));
  assert.equal(ask(index, label("app"), "a", objects), undefined);
});

test("TraitIndex drops the trait that was looked up longest ago", () => {
  const index = new TraitIndex({ traits: 2, values: 10, objects: 10 });
  const objects = [stored("a", { x: "1", y: "1", z: "1" })];
  for (const key of ["x", "y"]) assert.deepEqual(ask(index, label(key), "1", objects), objects);
  assert.deepEqual(
    index.find(label("x"), "1", () => objects),
    objects,
  );
  assert.deepEqual(ask(index, label("z"), "1", objects), objects);
  const known = ["x", "y", "z"].filter((key) => index.find(label(key), "1", () => objects));
  assert.deepEqual(known, ["x", "z"]);
});
