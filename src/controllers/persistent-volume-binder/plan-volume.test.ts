import assert from "node:assert/strict";
import { test } from "node:test";
import type { PersistentVolume, PersistentVolumeClaim } from "#/api/core/v1.ts";
import { planVolume } from "./plan-volume.ts";

const claimRef = { name: "c", namespace: "n", uid: "u" };
const made = { annotations: { "pv.kubernetes.io/provisioned-by": "p" } };
const toDelete = { claimRef, persistentVolumeReclaimPolicy: "Delete" as const };
const claim = (spec: object): PersistentVolumeClaim => ({
  metadata: { name: "c", uid: "u" },
  spec,
});

const cases: [
  what: string,
  spec: object,
  claim: object | undefined,
  plan: string,
  meta?: object,
][] = [
  ["without a claim", {}, undefined, "setPhase Available"],
  ["reserved", { claimRef: { name: "c" } }, undefined, "setPhase Available"],
  ["whose claim is deleted", { claimRef }, undefined, "reclaim"],
  ["whose claim will be bound", { claimRef }, {}, "wait"],
  ["whose claim requests another mode", { claimRef }, { volumeMode: "Block" }, "reportMismatch"],
  ["that is bound", { claimRef }, { volumeName: "v" }, "setPhase Bound"],
  ["whose claim is bound to another one", { claimRef }, { volumeName: "w" }, "unbind"],
  [
    "that was provisioned for a claim bound to another one",
    toDelete,
    { volumeName: "w" },
    "reclaim",
    made,
  ],
];

for (const [what, spec, claimed, expected, meta = {}] of cases) {
  test(`planVolume() of a volume ${what}`, () => {
    const volume: PersistentVolume = { metadata: { name: "v", ...meta }, spec };
    const plan = planVolume(volume, claimed && claim(claimed));
    assert.equal(plan.do === "setPhase" ? `setPhase ${plan.phase}` : plan.do, expected);
  });
}
