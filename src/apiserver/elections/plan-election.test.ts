import assert from "node:assert/strict";
import { test } from "node:test";
import type { Lease } from "#/api/coordination/v1.ts";
import type { LeaseCandidate } from "#/api/coordination/v1beta1.ts";
import { formatMicroTime } from "#/machinery/time/time.ts";
import { planElection } from "./plan-election.ts";

const now = Date.UTC(2026, 0, 1);
const ago = (seconds: number) => formatMicroTime(now - seconds * 1000);

interface Given {
  readonly emulates?: string;
  readonly is?: string;
  readonly renewed?: number;
  readonly pinged?: number;
  readonly strategy?: string;
}

function candidate(name: string, given: Given = {}): LeaseCandidate {
  const { emulates = "1.37", is = "1.37", renewed = 1, pinged } = given;
  return {
    metadata: { name, namespace: "kube-system" },
    spec: {
      leaseName: "x",
      renewTime: ago(renewed),
      ...(pinged === undefined ? {} : { pingTime: ago(pinged) }),
      binaryVersion: is,
      emulationVersion: emulates,
      strategy: given.strategy ?? "OldestEmulationVersion",
    },
  };
}

const held = (holderIdentity: string, renewed = 1): Lease => ({
  metadata: { name: "x", namespace: "kube-system" },
  spec: { holderIdentity, renewTime: ago(renewed), leaseDurationSeconds: 5, strategy },
});
const strategy = "OldestEmulationVersion";
const fresh = { leaseDurationSeconds: 5, renewTime: ago(0) };

const cases: readonly (readonly [string, Lease | undefined, LeaseCandidate[], object])[] = [
  ["nobody is there", undefined, [candidate("a", { renewed: 3600 })], { type: "wait" }],
  [
    "the first one leads",
    undefined,
    [candidate("a")],
    { type: "elect", spec: { strategy, ...fresh, holderIdentity: "a" } },
  ],
  ["the best one leads already", held("a"), [candidate("a")], { type: "wait" }],
  [
    "who emulates an older version is preferred",
    held("a"),
    [candidate("a"), candidate("b", { emulates: "1.36" })],
    { type: "elect", spec: { ...held("a").spec, preferredHolder: "b" } },
  ],
  [
    "who is older is preferred",
    held("a", 60),
    [candidate("a"), candidate("b", { is: "1.36" })],
    { type: "elect", spec: { strategy, ...fresh, holderIdentity: "b" } },
  ],
  [
    "who was silent is asked first",
    held("a", 60),
    [candidate("a", { renewed: 60 })],
    { type: "ask", candidates: [candidate("a", { renewed: 60 })] },
  ],
  [
    "who was asked is waited for",
    held("a", 60),
    [candidate("a", { renewed: 60, pinged: 2 }), candidate("b")],
    { type: "wait" },
  ],
  [
    "who doesn't answer is passed over",
    held("a", 60),
    [candidate("a", { renewed: 60, pinged: 6 }), candidate("b", { emulates: "1.38" })],
    { type: "elect", spec: { strategy, ...fresh, holderIdentity: "b" } },
  ],
  [
    "nobody answers",
    held("a", 60),
    [candidate("a", { renewed: 60, pinged: 6 })],
    { type: "fail", reason: "no available candidates" },
  ],
  [
    "candidates want different things",
    undefined,
    [candidate("a"), candidate("b", { strategy: "Mine" })],
    {
      type: "fail",
      reason:
        'candidates "a", "b" at same binary version but received differing strategies OldestEmulationVersion, Mine',
    },
  ],
  [
    "others choose by a strategy of their own",
    undefined,
    [candidate("a", { strategy: "Mine" })],
    { type: "elect", spec: { strategy: "Mine", ...fresh } },
  ],
];

for (const [name, lease, candidates, expected] of cases) {
  test(`planElection(): ${name}`, () => {
    assert.deepEqual(planElection(lease, candidates, now), expected);
  });
}
