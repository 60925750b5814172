import assert from "node:assert/strict";
import { test } from "node:test";
import { type FeatureSpecs, resolveFeatureGates } from "./feature-gates.ts";

const known = {
  NewThing: { default: false, stage: "ALPHA" },
  NearlyThere: { default: true, stage: "BETA" },
  CarefulBeta: { default: false, stage: "BETA" },
  Done: { default: true, stage: "GA", lockToDefault: true },
  Settled: { default: true, stage: "GA" },
  Leaving: { default: false, stage: "DEPRECATED" },
  Follower: { default: false, stage: "ALPHA", dependsOn: ["NewThing", "NearlyThere"] },
} satisfies FeatureSpecs;

const enabledByDefault = ["NearlyThere", "Done", "Settled"];

const good: readonly { settings: Record<string, boolean>; enabled: string[] }[] = [
  { settings: {}, enabled: enabledByDefault },
  { settings: { NewThing: true }, enabled: ["NewThing", ...enabledByDefault] },
  { settings: { Done: true, NearlyThere: false }, enabled: ["Done", "Settled"] },
  { settings: { AllBeta: true }, enabled: ["NearlyThere", "CarefulBeta", "Done", "Settled"] },
  { settings: { AllBeta: false }, enabled: ["Done", "Settled"] },
  { settings: { AllAlpha: true, NewThing: false, Follower: false }, enabled: enabledByDefault },
  { settings: { AllAlpha: true }, enabled: ["NewThing", ...enabledByDefault, "Follower"] },
];

for (const { settings, enabled } of good) {
  test(`resolveFeatureGates() with ${JSON.stringify(settings)} enables ${enabled}`, () => {
    const gates = resolveFeatureGates(known, settings);
    const names = Object.keys(known) as (keyof typeof known)[];
    assert.deepEqual(
      names.filter((name) => gates.enabled(name)),
      enabled,
    );
  });
}

const bad: readonly [Record<string, boolean>, string][] = [
  [{ Nope: true }, "unrecognized feature gate: Nope"],
  [{ constructor: true }, "unrecognized feature gate: constructor"],
  [{ Done: false }, "cannot set feature gate Done to false, feature is locked to true"],
  [
    { Follower: true, NearlyThere: false },
    "Follower is enabled, but depends on features that are disabled: [NewThing NearlyThere]",
  ],
];

for (const [settings, message] of bad) {
  test(`resolveFeatureGates() refuses ${JSON.stringify(settings)}`, () => {
    assert.throws(() => resolveFeatureGates(known, settings), {
      name: "FeatureGateError",
      message,
    });
  });
}

test("resolveFeatureGates() names every refused setting", () => {
  const locked: FeatureSpecs = {
    A: { default: true, stage: "GA", lockToDefault: true },
    B: { default: false, stage: "DEPRECATED", lockToDefault: true },
  };
  assert.throws(() => resolveFeatureGates(locked, { A: false, B: true }), {
    message:
      "[cannot set feature gate A to false, feature is locked to true, cannot set feature gate B to true, feature is locked to false]",
  });
});

test("resolveFeatureGates() warns of settings that will be removed", () => {
  const { warnings } = resolveFeatureGates(known, {
    Settled: false,
    Leaving: true,
    NewThing: true,
  });
  assert.deepEqual(warnings, [
    "Warning: setting GA feature gate. It will be removed in a future release: Settled",
    "Warning: setting deprecated feature gate. It will be removed in a future release: Leaving",
  ]);
});
