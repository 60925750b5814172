import assert from "node:assert/strict";
import { test } from "node:test";
import { fittingChoices } from "./match-words.ts";

test("fittingChoices() prefers the begin of names", () => {
  const choices = ["Endpoints", "Pods", "PodTemplates", "Jobs"].map((label) => ({ label }));
  assert.deepEqual(
    fittingChoices(choices, "pod", 5).map(({ label }) => label),
    ["Pods", "PodTemplates"],
  );
  assert.deepEqual(
    fittingChoices(choices, "end po", 5).map(({ label }) => label),
    ["Endpoints"],
  );
});
