/** Cases: pkg/controller/statefulset/stateful_set_control_test.go. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ControllerRevision, StatefulSet, StatefulSetSpec } from "#/api/apps/v1.ts";
import type { Pod } from "#/api/core/v1.ts";
import { formatTime } from "#/machinery/time/time.ts";
import { type Plan, planSet } from "./plan-set.ts";

const nowMs = 1_000_000_000_000;

function revision(name: string): ControllerRevision {
  const template = { metadata: { labels: { app: "db" } }, spec: { containers: [{ name }] } };
  return { metadata: { name }, revision: 1, data: { spec: { template } } };
}

/**
 * A Pod by its ordinal and letters: n(ew, without a phase), p(ending), r(unning), R(eady),
 * f(ailed), s(ucceeded), x (terminating), u(pdated).
 */
function pod(text: string): Pod {
  const ordinal = Number.parseInt(text, 10);
  const has = (letter: string): boolean => text.includes(letter);
  const phase = has("f") ? "Failed" : has("s") ? "Succeeded" : has("p") ? "Pending" : "Running";
  const ready = { type: "Ready", status: "True", lastTransitionTime: formatTime(nowMs - 5_000) };
  return {
    metadata: {
      name: `db-${ordinal}`,
      labels: { "controller-revision-hash": has("u") ? "new" : "old" },
      ...(has("x") ? { deletionTimestamp: formatTime(nowMs) } : {}),
    },
    spec: { containers: [] },
    status: has("n") ? {} : { phase, ...(has("R") ? { conditions: [ready] } : {}) },
  };
}

const letters = { create: "+", delete: "-", tend: "=", retain: "~" };

/** A plan as text: "=0 =1 / ~2 / -2". */
const textOf = (plan: Plan): string =>
  plan
    .map((actions) =>
      actions
        .map(({ verb, pod: { metadata } }) => `${letters[verb]}${metadata.name?.slice(3)}`)
        .join(" "),
    )
    .join(" / ");

interface Case {
  readonly name: string;
  readonly replicas: number;
  readonly pods: string;
  readonly spec?: Partial<StatefulSetSpec>;
  readonly plan: string;
  readonly isBeingDeleted?: boolean;
  readonly obeysMaxUnavailable?: boolean;
}

const rolling = (partition: number): Partial<StatefulSetSpec> => ({
  updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition } },
});
const parallel: Partial<StatefulSetSpec> = { podManagementPolicy: "Parallel" };
const atMost = (maxUnavailable: number | string): Partial<StatefulSetSpec> => ({
  updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable } },
});

const cases: readonly Case[] = [
  { name: "makes the first Pod alone", replicas: 3, pods: "", plan: "+0" },
  { name: "waits for the first Pod", replicas: 3, pods: "0p", plan: "=0" },
  { name: "waits until the first Pod is Ready", replicas: 3, pods: "0r", plan: "=0" },
  { name: "makes the second when the first is Ready", replicas: 3, pods: "0R", plan: "=0 +1" },
  { name: "fills a gap before it continues", replicas: 3, pods: "0R 2R", plan: "=0 +1" },
  {
    name: "creates all in parallel with policy Parallel",
    replicas: 3,
    pods: "",
    spec: parallel,
    plan: "+0 +1 +2 /  /  / ",
  },
  { name: "waits for a terminating Pod", replicas: 2, pods: "0Rx 1R", plan: "=0" },
  { name: "deletes a failed Pod, to create it again", replicas: 2, pods: "0f 1R", plan: "-0" },
  { name: "deletes a succeeded Pod", replicas: 2, pods: "0R 1s", plan: "=0 -1" },
  { name: "leaves a failed Pod that is terminating", replicas: 2, pods: "0fx 1R", plan: "" },
  {
    name: "deletes all failed Pods with policy Parallel",
    replicas: 2,
    pods: "0fu 1fu",
    spec: parallel,
    plan: "-0 -1 /  /  / ",
  },
  { name: "is complete", replicas: 2, pods: "0Ru 1Ru", plan: "=0 =1 /  /  / " },
  { name: "removes the highest first", replicas: 1, pods: "0Ru 1Ru 2Ru", plan: "=0 / ~2 ~1 / -2" },
  {
    name: "waits for the terminating Pod",
    replicas: 1,
    pods: "0Ru 1Ru 2Rux",
    plan: "=0 / ~2 ~1 / ",
  },
  {
    name: "deletes none while a remaining Pod is not Ready",
    replicas: 1,
    pods: "0ru 1Ru",
    plan: "=0",
  },
  {
    name: "removes the highest although it is not Ready",
    replicas: 1,
    pods: "0Ru 1ru",
    plan: "=0 / ~1 / -1",
  },
  {
    name: "deletes none above another one that is not Ready",
    replicas: 1,
    pods: "0Ru 1ru 2ru",
    plan: "=0 / ~2 ~1 / ",
  },
  {
    name: "deletes all in parallel with policy Parallel",
    replicas: 1,
    pods: "0Ru 1Ru 2Ru",
    spec: parallel,
    plan: "=0 / ~2 ~1 / -2 -1 / ",
  },
  { name: "is scaled to nothing", replicas: 0, pods: "0Ru 1Ru", plan: " / ~1 ~0 / -1" },
  { name: "updates the highest first", replicas: 3, pods: "0R 1R 2R", plan: "=0 =1 =2 /  /  / -2" },
  {
    name: "updates the next when that is Ready",
    replicas: 3,
    pods: "0R 1R 2Ru",
    plan: "=0 =1 =2 /  /  / -1",
  },
  { name: "updates none while one is not Ready", replicas: 3, pods: "0R 1R 2ru", plan: "=0 =1 =2" },
  {
    name: "with policy Parallel waits for a Pod that is not Ready",
    replicas: 3,
    pods: "0R 1R 2ru",
    spec: parallel,
    plan: "=0 =1 =2 /  /  / ",
  },
  {
    name: "with policy Parallel replaces an old Pod that is not Ready",
    replicas: 3,
    pods: "0R 1R 2r",
    spec: parallel,
    plan: "=0 =1 =2 /  /  / -2",
  },
  {
    name: "updates down to its partition",
    replicas: 3,
    pods: "0R 1R 2Ru",
    spec: rolling(2),
    plan: "=0 =1 =2 /  /  / ",
  },
  {
    name: "with a partition updates above it",
    replicas: 3,
    pods: "0R 1R 2Ru",
    spec: rolling(1),
    plan: "=0 =1 =2 /  /  / -1",
  },
  {
    name: "of strategy OnDelete updates nothing",
    replicas: 2,
    pods: "0R 1R",
    spec: { updateStrategy: { type: "OnDelete" } },
    plan: "=0 =1 /  /  / ",
  },
  {
    name: "that is being deleted does nothing",
    replicas: 2,
    pods: "0R",
    plan: "",
    isBeingDeleted: true,
  },
  {
    name: "waits until a Pod has been Ready for long enough",
    replicas: 2,
    pods: "0R",
    spec: { minReadySeconds: 6 },
    plan: "=0",
  },
  {
    name: "continues once a Pod has been Ready for long enough",
    replicas: 2,
    pods: "0R",
    spec: { minReadySeconds: 5 },
    plan: "=0 +1",
  },
  {
    name: "begins at its first ordinal",
    replicas: 2,
    pods: "3R",
    spec: { ordinals: { start: 3 } },
    plan: "=3 +4",
  },
  {
    name: "removes ordinals below its first",
    replicas: 1,
    pods: "0Ru 3Ru",
    spec: { ordinals: { start: 3 } },
    plan: "=3 / ~0 / -0",
  },
  {
    name: "with maxUnavailable 2 updates two at once",
    replicas: 4,
    pods: "0R 1R 2R 3R",
    spec: atMost(2),
    obeysMaxUnavailable: true,
    plan: "=0 =1 =2 =3 /  /  / -3 -2",
  },
  {
    name: "with maxUnavailable 50 % updates half of them",
    replicas: 4,
    pods: "0R 1R 2R 3R",
    spec: atMost("50%"),
    obeysMaxUnavailable: true,
    plan: "=0 =1 =2 =3 /  /  / -3 -2",
  },
  {
    name: "with maxUnavailable 10 % updates one at least",
    replicas: 4,
    pods: "0R 1R 2R 3R",
    spec: atMost("10%"),
    obeysMaxUnavailable: true,
    plan: "=0 =1 =2 =3 /  /  / -3",
  },
  {
    name: "with maxUnavailable 2 counts one that is not Ready",
    replicas: 4,
    pods: "0R 1R 2R 3ru",
    spec: { ...atMost(2), ...parallel },
    obeysMaxUnavailable: true,
    plan: "=0 =1 =2 =3 /  /  / -2",
  },
];

for (const {
  name,
  replicas,
  pods,
  spec,
  plan,
  isBeingDeleted,
  obeysMaxUnavailable = false,
} of cases) {
  test(`planSet() of a set: ${name}`, () => {
    const set: StatefulSet = {
      metadata: {
        name: "db",
        namespace: "default",
        ...(isBeingDeleted ? { deletionTimestamp: formatTime(nowMs) } : {}),
      },
      spec: {
        replicas,
        serviceName: "db",
        selector: { matchLabels: { app: "db" } },
        template: { metadata: {}, spec: { containers: [] } },
        updateStrategy: { type: "RollingUpdate" },
        ...spec,
      },
    };
    const view = {
      set,
      pods: pods.split(" ").filter(Boolean).map(pod),
      current: revision("old"),
      update: revision("new"),
      nowMs,
      obeysMaxUnavailable,
    };
    assert.equal(textOf(planSet(view)), plan);
  });
}

test("planSet() makes a Pod below the partition of the old revision", () => {
  const set: StatefulSet = {
    metadata: { name: "db" },
    spec: {
      replicas: 2,
      serviceName: "db",
      podManagementPolicy: "Parallel",
      selector: {},
      template: { metadata: {}, spec: { containers: [] } },
      ...rolling(1),
    },
  };
  const view = { set, pods: [], current: revision("old"), update: revision("new"), nowMs };
  const [actions = []] = planSet({ ...view, obeysMaxUnavailable: false });
  assert.deepEqual(
    actions.map(({ pod: { metadata } }) => metadata.labels?.["controller-revision-hash"]),
    ["old", "new"],
  );
});
