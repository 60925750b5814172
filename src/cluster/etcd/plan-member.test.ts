import assert from "node:assert/strict";
import { test } from "node:test";
import type { EtcdMember } from "./cluster-service.ts";
import { planMember } from "./plan-member.ts";

const urlOf = (host: number): string => `https://10.0.0.${host}:2380`;

/** A member at 10.0.0.HOST; without a name it has not started yet. */
const member = (host: number, name: string, isLearner = false): EtcdMember => ({
  id: BigInt(host),
  name,
  peerUrls: [urlOf(host)],
  clientUrls: name === "" ? [] : [`https://10.0.0.${host}:2379`],
  isLearner,
});
const [a, b] = [member(1, "a"), member(2, "b")];

/** The decision of a server "c" at 10.0.0.3. */
const plan = (members: readonly EtcdMember[], healthy: readonly number[], hasData = false) =>
  planMember({
    name: "c",
    peerUrl: urlOf(3),
    hasData,
    members,
    healthy: new Set(healthy.map(BigInt)),
  });

for (const { name, members, healthy, hasData = false, step } of [
  { name: "is added", members: [a, b], healthy: [1, 2], step: { do: "add" } },
  {
    name: "waits for another learner",
    members: [a, member(4, "", true)],
    healthy: [1],
    step: { do: "wait", member: member(4, "", true) },
  },
  {
    name: "starts once it is in the list, with the members that have started",
    members: [a, b, member(3, "", true)],
    healthy: [1, 2],
    step: { do: "start", others: [`a=${urlOf(1)}`, `b=${urlOf(2)}`] },
  },
  {
    name: "is promoted once it answers",
    members: [a, member(3, "c", true)],
    healthy: [1, 3],
    hasData: true,
    step: { do: "promote", member: member(3, "c", true) },
  },
  {
    name: "has nothing to do as a voter",
    members: [a, member(3, "c")],
    healthy: [1, 3],
    hasData: true,
    step: { do: "nothing" },
  },
  {
    name: "takes the name of a machine that is gone",
    members: [a, b, member(9, "c")],
    healthy: [1, 2],
    step: { do: "remove", member: member(9, "c") },
  },
  {
    name: "is added again if the machine has lost its data",
    members: [a, b, member(3, "c")],
    healthy: [1, 2],
    step: { do: "remove", member: member(3, "c") },
  },
]) {
  test(`planMember(): a server ${name}`, () => {
    assert.deepEqual(plan(members, healthy, hasData), step);
  });
}

test("planMember() refuses the name of a server that runs", () => {
  const step = plan([a, member(9, "c")], [1, 9]);
  assert.equal(step.do, "refuse");
  assert.match("reason" in step ? step.reason : "", /https:\/\/10\.0\.0\.9:2380.*--node-name/);
});
