import assert from "node:assert/strict";
import { test } from "node:test";
import type { TargetGroup } from "../../client/elbv2-operations.ts";
import type { AwsAction } from "../base/session.ts";
import { planHealthCheck, planTargets } from "./plan-targets.ts";

const target = (id: string) => ({ Id: id, Port: 30_080 });

function shown(actions: readonly AwsAction[]): string[] {
  return actions.map(({ operation, params }) => `${operation.action} ${JSON.stringify(params)}`);
}

test("planTargets() deregisters before it registers", () => {
  const actions = planTargets("tg", [target("i-2"), target("i-3")], [target("i-1"), target("i-2")]);
  assert.deepEqual(shown(actions), [
    'DeregisterTargets {"TargetGroupArn":"tg","Targets":[{"Id":"i-1","Port":30080}]}',
    'RegisterTargets {"TargetGroupArn":"tg","Targets":[{"Id":"i-3","Port":30080}]}',
  ]);
});

test("planTargets() registers a hundred targets in a call", () => {
  const wanted = Array.from({ length: 201 }, (_, index) => target(`i-${index}`));
  const counts = planTargets("tg", wanted, []).map(
    ({ params }) => (params as { Targets: readonly unknown[] }).Targets.length,
  );
  assert.deepEqual(counts, [100, 100, 1]);
});

const group = {
  TargetGroupArn: "tg",
  HealthCheckPort: "traffic-port",
  HealthyThresholdCount: 3,
} as TargetGroup;
const check = {
  port: "traffic-port",
  path: "",
  protocol: "TCP",
  intervalSeconds: 30,
  healthyThreshold: 3,
  unhealthyThreshold: 3,
};
const cases = [
  { name: "none for the same check", wanted: check, expected: [] },
  {
    name: "another port",
    wanted: { ...check, port: "8080" },
    expected: ['ModifyTargetGroup {"TargetGroupArn":"tg","HealthCheckPort":"8080"}'],
  },
  {
    name: "other thresholds",
    wanted: { ...check, healthyThreshold: 5, unhealthyThreshold: 4 },
    expected: [
      'ModifyTargetGroup {"TargetGroupArn":"tg","HealthyThresholdCount":5,"UnhealthyThresholdCount":4}',
    ],
  },
  {
    name: "a path each time",
    wanted: { ...check, protocol: "HTTP", path: "/a" },
    expected: ['ModifyTargetGroup {"TargetGroupArn":"tg","HealthCheckPath":"/a"}'],
  },
];
for (const { name, wanted, expected } of cases) {
  test(`planHealthCheck() of target groups: ${name}`, () => {
    assert.deepEqual(shown(planHealthCheck(group, wanted, false)), expected);
  });
}

test("planHealthCheck() of a plan shows a path only if the target group has another", () => {
  const wanted = { ...check, protocol: "HTTP", path: "/a" };
  assert.deepEqual(planHealthCheck({ ...group, HealthCheckPath: "/a" }, wanted, true), []);
  assert.deepEqual(shown(planHealthCheck({ ...group, HealthCheckPath: "/b" }, wanted, true)), [
    'ModifyTargetGroup {"TargetGroupArn":"tg","HealthCheckPath":"/a"}',
  ]);
});
