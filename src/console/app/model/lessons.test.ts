import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type RecipeObject,
  recipeLabel,
  recipeObjects,
  recipeResources,
  recipes,
} from "./lessons.ts";
import { playTo } from "./play-steps.ts";

test("what recipeObjects() makes has the label by which it is cleaned up", () => {
  const known: readonly string[] = recipeResources;
  const lost = recipes.flatMap((recipe) =>
    recipeObjects(recipe, "nginx:1.29")
      .filter(({ resource, object }) => !known.includes(resource) || !isLabelled(object, recipe))
      .map(({ resource }) => `${recipe}: ${resource}`),
  );
  assert.deepEqual(lost, []);
});

const isLabelled = (object: RecipeObject["object"], recipe: string): boolean =>
  (object as { metadata: { labels: Record<string, string> } }).metadata.labels[recipeLabel] ===
  recipe;

test("the quota of a recipe counts nothing that other Pods ask for", () => {
  const [quota] = recipeObjects("quota", "nginx:1.29");
  const { spec } = (quota?.object ?? { spec: { hard: {} } }) as { spec: { hard: object } };
  assert.deepEqual(Object.keys(spec.hard), ["requests.learn.k8ts.dev/seat"]);
});

for (const { name, at, step, of, expected } of [
  { name: "forward", at: 2, step: 1, of: 5, expected: 3 },
  { name: "back", at: 2, step: -1, of: 5, expected: 1 },
  { name: "back from the present", at: undefined, step: -1, of: 5, expected: 4 },
  { name: "no further back than the first step", at: 1, step: -1, of: 5, expected: 1 },
  { name: "forward to the present", at: 5, step: 1, of: 5, expected: undefined },
  { name: "from nothing", at: undefined, step: -1, of: 0, expected: undefined },
]) {
  test(`playTo() goes ${name}`, () => assert.equal(playTo(at, step, of), expected));
}
