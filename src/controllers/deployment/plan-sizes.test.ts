/** Cases: pkg/controller/deployment/{rolling,sync}_test.go. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Deployment, ReplicaSet } from "#/api/apps/v1.ts";
import { newSetSize, planNewSet, planOldSets, planScaling, type Resize } from "./plan-sizes.ts";

interface Strategy {
  readonly maxSurge?: number | string;
  readonly maxUnavailable?: number | string;
  readonly type?: "RollingUpdate" | "Recreate";
}

function deployment(replicas: number, strategy: Strategy = {}): Deployment {
  const { maxSurge = 0, maxUnavailable = 0, type = "RollingUpdate" } = strategy;
  const rollingUpdate = { maxSurge, maxUnavailable };
  return {
    metadata: { name: "web" },
    spec: {
      replicas,
      selector: {},
      template: { metadata: {}, spec: { containers: [] } },
      strategy: type === "Recreate" ? { type } : { type, rollingUpdate },
    },
  };
}

interface SetFacts {
  readonly available?: number;
  /** The annotations of the last scaling: size, and maximal number of Pods. */
  readonly noted?: readonly [desired: number, max: number];
}

/** A ReplicaSet; a higher number is newer. */
function set(version: number, replicas: number, { available, noted }: SetFacts = {}): ReplicaSet {
  const [desired, max] = noted ?? [];
  return {
    metadata: {
      name: `v${version}`,
      creationTimestamp: `2016-05-20T0${version}:00:00Z`,
      ...(noted
        ? {
            annotations: {
              "deployment.kubernetes.io/desired-replicas": `${desired}`,
              "deployment.kubernetes.io/max-replicas": `${max}`,
            },
          }
        : {}),
    },
    spec: { replicas, selector: {} },
    status: { replicas, ...(available === undefined ? {} : { availableReplicas: available }) },
  };
}

/** Names and sizes of the ReplicaSets after a plan. */
function sizesAfter(plan: readonly Resize[], sets: readonly ReplicaSet[]): Record<string, number> {
  const planned = new Map(plan.map(({ set: one, replicas }) => [one, replicas]));
  return Object.fromEntries(
    sets.map((one) => [one.metadata.name, planned.get(one) ?? one.spec?.replicas ?? 0]),
  );
}

const newSetCases = [
  { desired: 10, surge: 0, old: 10, size: 0, becomes: undefined },
  { desired: 10, surge: 2, old: 10, size: 0, becomes: 2 },
  { desired: 10, surge: 2, old: 5, size: 0, becomes: 7 },
  { desired: 10, surge: 2, old: 10, size: 2, becomes: undefined },
  { desired: 10, surge: 2, old: 2, size: 11, becomes: 10 },
  { desired: 10, surge: "25%", old: 10, size: 0, becomes: 3 },
  { desired: 1, surge: "25%", old: 1, size: 0, becomes: 1 },
  { desired: 0, surge: 2, old: 3, size: 0, becomes: undefined },
] as const;

for (const { desired, surge, old, size, becomes } of newSetCases) {
  test(`planNewSet() of size ${desired}, surge ${surge}, ${old} old, ${size} new`, () => {
    const newSet = set(2, size);
    const plan = planNewSet(deployment(desired, { maxSurge: surge }), newSet, [
      newSet,
      set(1, old),
    ]);
    assert.deepEqual(plan, becomes === undefined ? [] : [{ set: newSet, replicas: becomes }]);
  });
}

test("newSetSize() with strategy Recreate is the whole size", () => {
  assert.equal(newSetSize(deployment(5, { type: "Recreate" }), 0, [set(1, 5)]), 5);
});

const oldSetCases = [
  { name: "all old are ready", unavailable: 0, old: [10, 10], fresh: [0, 0], becomes: 9 },
  { name: "two may be unavailable", unavailable: 2, old: [10, 10], fresh: [0, 0], becomes: 8 },
  { name: "two are not ready", unavailable: 2, old: [10, 8], fresh: [0, 0], becomes: 8 },
  { name: "one is not ready", unavailable: 2, old: [10, 9], fresh: [0, 0], becomes: 8 },
  { name: "new ones are not ready", unavailable: 2, old: [8, 8], fresh: [2, 0], becomes: 8 },
  { name: "new ones are ready", unavailable: 2, old: [8, 8], fresh: [2, 2], becomes: 6 },
  { name: "there are no old Pods", unavailable: 2, old: [0, 0], fresh: [10, 10], becomes: 0 },
  { name: "only one is ready", unavailable: 2, old: [10, 1], fresh: [0, 0], becomes: 8 },
] as const;

for (const { name, unavailable, old, fresh, becomes } of oldSetCases) {
  test(`planOldSets() when ${name}`, () => {
    const oldSet = set(1, old[0], { available: old[1] });
    const newSet = set(2, fresh[0], { available: fresh[1] });
    const desired = deployment(10, { maxUnavailable: unavailable });
    const plan = planOldSets(desired, newSet, [oldSet]);
    assert.deepEqual(sizesAfter(plan, [oldSet]), { v1: becomes });
  });
}

test("planOldSets() does not count a terminating Pod as available", () => {
  const oldSet = set(1, 3, { available: 4 });
  const newSet = set(2, 3, { available: 1 });
  const desired = deployment(4, { maxSurge: 2, maxUnavailable: 1 });
  assert.deepEqual(sizesAfter(planOldSets(desired, newSet, [oldSet]), [oldSet]), { v1: 2 });
});

test("planOldSets() deletes unavailable Pods first, then those of the oldest set", () => {
  const sets = [set(2, 5, { available: 4 }), set(1, 5, { available: 5 })];
  const plan = planOldSets(deployment(10, { maxUnavailable: 3 }), set(3, 0), sets);
  assert.deepEqual(sizesAfter(plan, sets), { v1: 3, v2: 4 });
});

const scalingCases: readonly {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly surges?: readonly [before: number, now: number];
  readonly fresh?: readonly [version: number, size: number];
  readonly old?: readonly (readonly [version: number, size: number])[];
  readonly sizes: Readonly<Record<string, number>>;
  readonly notedBy?: Readonly<Record<number, number>>;
  readonly available?: number;
}[] = [
  { name: "one set grows", from: 10, to: 12, fresh: [1, 10], sizes: { v1: 12 } },
  { name: "one set shrinks", from: 10, to: 5, fresh: [1, 10], sizes: { v1: 5 } },
  { name: "5 to 10", from: 5, to: 10, fresh: [2, 2], old: [[1, 3]], sizes: { v2: 4, v1: 6 } },
  { name: "5 to 3", from: 5, to: 3, fresh: [2, 2], old: [[1, 3]], sizes: { v2: 1, v1: 2 } },
  { name: "9 to 4", from: 9, to: 4, fresh: [2, 8], old: [[1, 1]], sizes: { v2: 4, v1: 0 } },
  {
    name: "three sets, 7 to 10",
    from: 7,
    to: 10,
    fresh: [3, 2],
    old: [
      [2, 3],
      [1, 2],
    ],
    sizes: { v3: 3, v2: 4, v1: 3 },
  },
  {
    name: "three sets, 13 to 8",
    from: 13,
    to: 8,
    fresh: [3, 2],
    old: [
      [2, 8],
      [1, 3],
    ],
    sizes: { v3: 1, v2: 5, v1: 2 },
  },
  {
    name: "the newest set gets the remainder",
    from: 3,
    to: 4,
    fresh: [3, 1],
    old: [
      [2, 1],
      [1, 1],
    ],
    sizes: { v3: 2, v2: 1, v1: 1 },
  },
  {
    name: "the oldest set loses the remainder",
    from: 3,
    to: 2,
    fresh: [3, 1],
    old: [
      [2, 1],
      [1, 1],
    ],
    sizes: { v3: 1, v2: 1, v1: 0 },
  },
  {
    name: "without a new set the latest grows",
    from: 4,
    to: 5,
    old: [
      [2, 2],
      [1, 2],
    ],
    sizes: { v2: 3, v1: 2 },
  },
  {
    name: "to zero",
    from: 6,
    to: 0,
    fresh: [3, 3],
    old: [
      [2, 2],
      [1, 1],
    ],
    sizes: { v3: 0, v2: 0, v1: 0 },
  },
  {
    name: "from zero to the new set only",
    from: 6,
    to: 6,
    fresh: [3, 0],
    old: [
      [2, 0],
      [1, 0],
    ],
    sizes: { v3: 6, v2: 0, v1: 0 },
  },
  {
    name: "one set missed the last scaling",
    from: 5,
    to: 5,
    fresh: [3, 2],
    old: [
      [2, 1],
      [1, 1],
    ],
    notedBy: { 2: 3 },
    sizes: { v3: 2, v2: 2, v1: 1 },
  },
  {
    name: "with a surge of 2",
    from: 10,
    to: 20,
    surges: [2, 2],
    fresh: [2, 6],
    old: [[1, 6]],
    sizes: { v2: 11, v1: 11 },
  },
  {
    name: "size and surge change",
    from: 10,
    to: 50,
    surges: [3, 6],
    fresh: [2, 5],
    old: [[1, 8]],
    sizes: { v2: 22, v1: 34 },
  },
  {
    name: "size and template change",
    from: 10,
    to: 14,
    old: [
      [2, 7],
      [1, 3],
    ],
    sizes: { v2: 10, v1: 4 },
  },
  {
    name: "an unavailable new set leaves the old Pods",
    from: 2,
    to: 2,
    surges: [1, 1],
    fresh: [2, 2],
    old: [[1, 1]],
    available: 0,
    sizes: { v2: 2, v1: 1 },
  },
  {
    name: "a new set that has all Pods empties the old ones",
    from: 2,
    to: 2,
    surges: [1, 1],
    fresh: [2, 2],
    old: [[1, 1]],
    available: 2,
    sizes: { v2: 2, v1: 0 },
  },
];

for (const { name, from, to, surges = [0, 0], fresh, old = [], ...rest } of scalingCases) {
  test(`planScaling(): ${name}`, () => {
    const facts = (version: number): SetFacts => {
      const desired = rest.notedBy?.[version] ?? from;
      return { noted: [desired, desired + surges[0]], available: rest.available ?? 0 };
    };
    const newSet = fresh && set(fresh[0], fresh[1], facts(fresh[0]));
    const oldSets = old.map(([version, size]) => set(version, size, facts(version)));
    const desired = deployment(to, { maxSurge: surges[1], maxUnavailable: surges[1] });
    const plan = planScaling(desired, newSet, oldSets);
    assert.deepEqual(sizesAfter(plan, newSet ? [newSet, ...oldSets] : oldSets), rest.sizes);
  });
}
