import assert from "node:assert/strict";
import { test } from "node:test";
import type { EtcdMember } from "../etcd/cluster-service.ts";
import { planLeave } from "./plan-leave.ts";

const member = (id: number, isLearner = false): EtcdMember => ({
  id: BigInt(id),
  name: `s${id}`,
  peerUrls: [],
  clientUrls: [],
  isLearner,
});
const three = [member(1), member(2), member(3)];

const cases: readonly (readonly [
  string,
  Partial<Parameters<typeof planLeave>[0]> & {
    readonly up: readonly number[];
    readonly who: string;
  },
  string | RegExp,
])[] = [
  ["itself, of three", { up: [1, 2, 3], who: "s1", isOwn: true }, "remove"],
  ["itself, of two", { members: three.slice(0, 2), up: [1, 2], who: "s1", isOwn: true }, "remove"],
  [
    "itself, the only one",
    { members: [member(1)], up: [1], who: "s1", isOwn: true },
    /only server/,
  ],
  [
    "itself, when one of the others is down",
    { up: [1, 2], who: "s1", isOwn: true },
    /1 of the 2 that stay run, 2 must/,
  ],
  ["another that is down", { up: [1, 2], who: "s3" }, "remove"],
  ["another that runs", { up: [1, 2, 3], who: "s3" }, /s3 runs/],
  ["another, when the rest has no majority", { up: [1], who: "s3" }, /1 of the 2 that stay run/],
  [
    "a learner that is down",
    { members: [...three, member(4, true)], up: [1, 2], who: "s4" },
    "remove",
  ],
  ["one that is no member", { up: [1, 2], who: "s9" }, "nothing"],
];
for (const [name, { up, who, members = three, isOwn = false }, expected] of cases) {
  test(`planLeave(): ${name}`, () => {
    const healthy = new Set(up.map(BigInt));
    const plan = planLeave({ members, healthy, leaving: (one) => one.name === who, isOwn });
    if (typeof expected === "string") assert.equal(plan.do, expected);
    else assert.match(plan.do === "refuse" ? plan.reason : plan.do, expected);
  });
}
