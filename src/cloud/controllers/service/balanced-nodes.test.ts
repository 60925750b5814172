import assert from "node:assert/strict";
import { test } from "node:test";
import type { Node } from "#/api/core/v1.ts";
import { areSameNodes, balancedNodes, mayChangeBalancers, shownNodes } from "./balanced-nodes.ts";

const node = (
  name: string,
  rest: Partial<Node> = {},
  labels: Record<string, string> = {},
): Node => ({
  spec: {},
  ...rest,
  metadata: { name, labels },
});
const label = "node.kubernetes.io/exclude-from-external-load-balancers";
const tainted = {
  spec: { taints: [{ key: "ToBeDeletedByClusterAutoscaler", effect: "NoSchedule" as const }] },
};
const notReady = { status: { conditions: [{ type: "Ready", status: "False" }] } };

for (const [claim, one, expected] of [
  ["as it is", node("a"), true],
  ["that is not ready", node("a", notReady), true],
  ["with the label", node("a", {}, { [label]: "" }), false],
  ["with the label set to true", node("a", {}, { [label]: "true" }), false],
  ["with the label set to false", node("a", {}, { [label]: "false" }), true],
  ["that the autoscaler deletes", node("a", tainted), false],
  [
    "that is being deleted",
    { metadata: { name: "a", deletionTimestamp: "2026-01-01T00:00:00Z" }, spec: {} },
    false,
  ],
] as const) {
  test(`balancedNodes() ${expected ? "has" : "lacks"} a node ${claim}`, () => {
    assert.equal(balancedNodes([one]).length === 1, expected);
  });
}

const withId = (name: string, providerID: string): Node => node(name, { spec: { providerID } });

for (const [claim, now, old, expected] of [
  ["is new", node("a"), undefined, true],
  ["is deleted", undefined, node("a"), true],
  ["gets a provider ID", withId("a", "x"), node("a"), true],
  ["is excluded", node("a", {}, { [label]: "" }), node("a"), true],
  ["becomes ready", node("a"), node("a", notReady), false],
  ["is tainted", node("a", tainted), node("a"), false],
] as const) {
  test(`mayChangeBalancers() of a node that ${claim}: ${expected}`, () => {
    assert.equal(mayChangeBalancers(now, old), expected);
  });
}

for (const [claim, a, b, expected] of [
  ["in another order", [node("a"), node("b")], [node("b"), node("a")], true],
  ["with another ID", [withId("a", "x")], [withId("a", "y")], false],
  ["with another name", [node("a")], [node("b")], false],
  ["with one more", [node("a")], [node("a"), node("b")], false],
] as const) {
  test(`areSameNodes() of nodes ${claim}: ${expected}`, () => {
    assert.equal(areSameNodes(a, b), expected);
  });
}

test("shownNodes() limits the names", () => {
  assert.equal(shownNodes([node("b"), node("a")]), "[a b]");
  const many = Array.from({ length: 22 }, (_, index) => node(`n${index + 10}`));
  assert.match(shownNodes(many), /^\[n10 .* n29 <2 more>\]$/);
});
