import assert from "node:assert/strict";
import { test } from "node:test";
import type { PersistentVolume, PersistentVolumeClaim } from "#/api/core/v1.ts";
import type { StorageClass } from "#/api/storage/v1.ts";
import { type ClaimView, planClaim } from "./plan-claim.ts";

const claim = (spec: object = {}, annotations?: Record<string, string>): PersistentVolumeClaim => ({
  metadata: { name: "c", namespace: "n", uid: "u", ...(annotations ? { annotations } : {}) },
  spec: {
    accessModes: ["ReadWriteOnce"],
    resources: { requests: { storage: "1Gi" } },
    ...spec,
  },
});
const volume = (name: string, spec: object = {}): PersistentVolume => ({
  metadata: { name },
  spec: { accessModes: ["ReadWriteOnce"], capacity: { storage: "2Gi" }, ...spec },
  status: { phase: "Available" },
});
const ref = (uid = "u") => ({ claimRef: { name: "c", namespace: "n", uid } });
const foreign = { claimRef: { name: "other", namespace: "n", uid: "x" } };
const late: StorageClass = {
  metadata: { name: "late" },
  provisioner: "p",
  volumeBindingMode: "WaitForFirstConsumer",
};
const bound = { "pv.kubernetes.io/bind-completed": "yes" };

function plan(given: PersistentVolumeClaim, volumes: PersistentVolume[], more = {}): string {
  const view: ClaimView = {
    findVolume: (name) => volumes.find(({ metadata }) => metadata.name === name),
    candidates: volumes,
    storageClass: undefined,
    defaultClass: undefined,
    waitingPods: [],
    ...more,
  };
  const made = planClaim(given, view);
  if (made.do === "bind") return `bind ${made.volume.metadata.name}`;
  if (made.do === "setClass") return `setClass ${made.name}`;
  const event = "event" in made ? made.event : undefined;
  return event ? `${made.do}: ${event.type} ${event.reason} ${event.message}` : made.do;
}

const roomy = volume("roomy", { capacity: { storage: "9Gi" } });
const many = volume("many", { accessModes: ["ReadWriteOnce", "ReadWriteMany"] });
const cases: [claim: string, expected: string, got: string][] = [
  [
    "nothing there and no class",
    "wait: Normal FailedBinding no persistent volumes available for this claim and no storage class is set",
    plan(claim(), []),
  ],
  ["the smallest sufficient volume", "bind small", plan(claim(), [roomy, volume("small")])],
  ["fewest access modes, then size", "bind roomy", plan(claim(), [many, roomy])],
  ["one that is reserved for it", "bind b", plan(claim(), [volume("a"), volume("b", ref(""))])],
  ["the class of a default", "setClass d", plan(claim(), [], { defaultClass: named("d") })],
  [
    "no class on purpose",
    "wait: Normal FailedBinding no persistent volumes available for this claim and no storage class is set",
    plan(claim({ storageClassName: "" }), [], { defaultClass: named("d") }),
  ],
  ["a class", "provision", plan(claim({ storageClassName: "x" }), [])],
  [
    "a class that waits for pods",
    "wait: Normal WaitForFirstConsumer waiting for first consumer to be created before binding",
    plan(claim({ storageClassName: "late" }), [volume("v", { storageClassName: "late" })], {
      storageClass: late,
    }),
  ],
  [
    "a pod that waits for a node",
    "wait: Normal WaitForPodScheduled waiting for pod p to be scheduled",
    plan(claim({ storageClassName: "late" }), [], { storageClass: late, waitingPods: ["p"] }),
  ],
  [
    "pods that wait for a node",
    "wait: Normal WaitForPodScheduled waiting for pods p,q to be scheduled",
    plan(claim({ storageClassName: "late" }), [], { storageClass: late, waitingPods: ["p", "q"] }),
  ],
  [
    "what the scheduler chose",
    "bind v",
    plan(claim({ storageClassName: "late" }), [volume("v", ref())], { storageClass: late }),
  ],
  [
    "the node that the scheduler chose",
    "provision",
    plan(claim({ storageClassName: "late" }, { "volume.kubernetes.io/selected-node": "n" }), [], {
      storageClass: late,
    }),
  ],
  ["the name of an absent volume", "wait", plan(claim({ volumeName: "v" }), [])],
  ["a name", "bind v", plan(claim({ volumeName: "v" }), [volume("v")])],
  [
    "the name of one that is too small",
    'wait: Warning VolumeMismatch Cannot bind to requested volume "v": requested PV is too small',
    plan(claim({ volumeName: "v" }), [volume("v", { capacity: { storage: "1Mi" } })]),
  ],
  [
    "the name of one of another class",
    'wait: Warning VolumeMismatch Cannot bind to requested volume "v": storageClassName does not match',
    plan(claim({ volumeName: "v" }), [volume("v", { storageClassName: "x" })]),
  ],
  [
    "the name of one of another mode",
    'wait: Warning VolumeMismatch Cannot bind to requested volume "v": incompatible volumeMode',
    plan(claim({ volumeName: "v" }), [volume("v", { volumeMode: "Block" })]),
  ],
  [
    "the name of one with other access",
    'wait: Warning VolumeMismatch Cannot bind to requested volume "v": incompatible accessMode',
    plan(claim({ volumeName: "v" }), [volume("v", { accessModes: ["ReadOnlyMany"] })]),
  ],
  [
    "the name of another's",
    'wait: Warning FailedBinding volume "v" already bound to a different claim.',
    plan(claim({ volumeName: "v" }), [volume("v", foreign)]),
  ],
  ["its volume", "bind v", plan(claim({ volumeName: "v" }, bound), [volume("v", ref())])],
  [
    "no volume any more",
    "lose: Warning ClaimLost Bound claim has lost its PersistentVolume. Data on the volume is lost!",
    plan(claim({ volumeName: "v" }, bound), []),
  ],
  [
    "no name of a volume any more",
    "lose: Warning ClaimLost Bound claim has lost reference to PersistentVolume. Data on the volume is lost!",
    plan(claim({}, bound), []),
  ],
  [
    "the volume of another",
    "lose: Warning ClaimMisbound Two claims are bound to the same volume, this one is bound incorrectly",
    plan(claim({ volumeName: "v" }, bound), [volume("v", foreign)]),
  ],
];

function named(name: string): StorageClass {
  return { metadata: { name }, provisioner: "p" };
}

for (const [what, expected, got] of cases) {
  test(`planClaim() of a claim with ${what}`, () => {
    assert.equal(got, expected);
  });
}
