import assert from "node:assert/strict";
import { test } from "node:test";
import { Registry } from "#/std/metrics/metrics.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { type Authorizer, noAttributes } from "../../model/authorizer.ts";
import { AuthorizationMetrics } from "./authorization-metrics.ts";

const user = { name: "u", groups: [] };

test("AuthorizationMetrics.counted() counts decisions of an authorizer, and not `no opinion`", async () => {
  const registry = new Registry();
  const metrics = new AuthorizationMetrics(registry, new FakeClock());
  const decisions = { get: "allow", list: "deny", watch: "no-opinion" } as const;
  const authorizer: Authorizer = {
    name: "x",
    authorize: ({ verb }) => ({ decision: decisions[verb as "get"], reason: "r" }),
  };
  const counted = metrics.counted(authorizer, "RBAC", "rbac");
  for (const verb of ["get", "get", "list", "watch"]) {
    const { decision } = await counted.authorize({ ...noAttributes, user, verb });
    assert.equal(decision, decisions[verb as "get"]);
  }
  const name = "apiserver_authorization_decisions_total";
  const lines = [...registry.expose()].join("").split("\n");
  assert.deepEqual(
    lines.filter((line) => line.startsWith(`${name}{`)),
    [
      `${name}{decision="allowed",name="rbac",type="RBAC"} 2`,
      `${name}{decision="denied",name="rbac",type="RBAC"} 1`,
    ],
  );
});

test("AuthorizationMetrics record webhook calls and match conditions", () => {
  const registry = new Registry();
  const metrics = new AuthorizationMetrics(registry, new FakeClock());
  metrics.conditionsSeen("w", "matches", 0);
  metrics.conditionsSeen("w", "excludes", 0);
  metrics.conditionsSeen("w", "fails", 0);
  metrics.called("w", "timeout", 0);
  metrics.failedOpen("w", "timeout");
  const lines = [...registry.expose()].join("").split("\n");
  const prefix = "apiserver_authorization_";
  assert.deepEqual(
    lines.filter((line) => /_(total|count)\{/.test(line)),
    [
      `${prefix}match_condition_evaluation_errors_total{name="w",type="Webhook"} 1`,
      `${prefix}match_condition_evaluation_seconds_count{name="w",type="Webhook"} 3`,
      `${prefix}match_condition_exclusions_total{name="w",type="Webhook"} 1`,
      `${prefix}webhook_duration_seconds_count{name="w",result="timeout"} 1`,
      `${prefix}webhook_evaluations_fail_open_total{name="w",result="timeout"} 1`,
      `${prefix}webhook_evaluations_total{name="w",result="timeout"} 1`,
    ],
  );
});
