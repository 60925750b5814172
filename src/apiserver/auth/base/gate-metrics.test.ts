import assert from "node:assert/strict";
import { test } from "node:test";
import { Registry } from "#/std/metrics/metrics.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { noAttributes } from "../../model/authorizer.ts";
import { authenticationMetrics, measuredAuthorizer } from "./gate-metrics.ts";

const shown = (metrics: Registry, name: string): string[] =>
  [...metrics.expose()]
    .join("")
    .split("\n")
    .filter((line) => line.startsWith(name));

test("authenticationMetrics() counts users by kind, and failures", () => {
  const metrics = new Registry();
  const observe = authenticationMetrics(metrics, new FakeClock());
  for (const name of ["admin", "a@b.c", "alice", "bob"]) observe({ name, groups: [] }, 0);
  observe(undefined, 0);
  assert.deepEqual(shown(metrics, "authentication_attempts{"), [
    'authentication_attempts{result="failure"} 1',
    'authentication_attempts{result="success"} 4',
  ]);
  assert.deepEqual(shown(metrics, "authenticated_user_requests{"), [
    'authenticated_user_requests{username="admin"} 1',
    'authenticated_user_requests{username="email_id"} 1',
    'authenticated_user_requests{username="other"} 2',
  ]);
});

test("measuredAuthorizer() counts decisions", async () => {
  const metrics = new Registry();
  const clock = new FakeClock();
  const authorizer = measuredAuthorizer(
    {
      name: "x",
      authorize: ({ verb }) => ({ decision: verb === "get" ? "allow" : "deny", reason: "" }),
    },
    metrics,
    clock,
  );
  const user = { name: "u", groups: [] };
  for (const verb of ["get", "get", "list"])
    await authorizer.authorize({ ...noAttributes, user, verb });
  assert.deepEqual(shown(metrics, "authorization_attempts_total{"), [
    'authorization_attempts_total{result="allowed"} 2',
    'authorization_attempts_total{result="denied"} 1',
  ]);
});
