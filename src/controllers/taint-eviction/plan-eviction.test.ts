/** Cases: pkg/controller/tainteviction/taint_eviction_test.go. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Taint, Toleration } from "#/api/core/v1.ts";
import { allowedStayMs } from "./plan-eviction.ts";

const taint = (key: string, value = "bar"): Taint => ({ key, value, effect: "NoExecute" });
const toleration = (key: string, tolerationSeconds?: number): Toleration => ({
  key,
  value: "bar",
  operator: "Equal",
  effect: "NoExecute",
  ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }),
});

const cases: readonly {
  readonly name: string;
  readonly taints: readonly Taint[];
  readonly tolerations: readonly Toleration[];
  readonly stayMs: number | undefined;
}[] = [
  { name: "no taint", taints: [], tolerations: [], stayMs: undefined },
  {
    name: "no taint but a limit",
    taints: [],
    tolerations: [toleration("a", 5)],
    stayMs: undefined,
  },
  { name: "a taint that is not tolerated", taints: [taint("a")], tolerations: [], stayMs: 0 },
  {
    name: "a taint of another value",
    taints: [taint("a", "x")],
    tolerations: [toleration("a")],
    stayMs: 0,
  },
  {
    name: "a taint tolerated for ever",
    taints: [taint("a")],
    tolerations: [toleration("a")],
    stayMs: undefined,
  },
  {
    name: "a taint tolerated for a time",
    taints: [taint("a")],
    tolerations: [toleration("a", 100)],
    stayMs: 100_000,
  },
  {
    name: "a taint tolerated for a negative time",
    taints: [taint("a")],
    tolerations: [toleration("a", -1)],
    stayMs: 0,
  },
  {
    name: "a taint tolerated for 0 s",
    taints: [taint("a")],
    tolerations: [toleration("a", 0)],
    stayMs: 0,
  },
  {
    name: "two taints of which one is not tolerated",
    taints: [taint("a"), taint("b")],
    tolerations: [toleration("a", 100)],
    stayMs: 0,
  },
  {
    name: "two taints: the shorter time counts",
    taints: [taint("a"), taint("b")],
    tolerations: [toleration("a", 100), toleration("b", 60)],
    stayMs: 60_000,
  },
  {
    name: "two taints, one tolerated for ever",
    taints: [taint("a"), taint("b")],
    tolerations: [toleration("a"), toleration("b", 60)],
    stayMs: 60_000,
  },
  {
    name: "one taint, two tolerations: the shorter time counts",
    taints: [taint("a")],
    tolerations: [toleration("a", 100), { operator: "Exists", tolerationSeconds: 30 }],
    stayMs: 30_000,
  },
  {
    name: "everything tolerated",
    taints: [taint("a"), taint("b")],
    tolerations: [{ operator: "Exists" }],
    stayMs: undefined,
  },
];

for (const { name, taints, tolerations, stayMs } of cases) {
  test(`allowedStayMs(): ${name}`, () => {
    assert.equal(allowedStayMs(taints, tolerations), stayMs);
  });
}
