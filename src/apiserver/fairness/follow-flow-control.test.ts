import assert from "node:assert/strict";
import { test } from "node:test";
import { logger } from "#/std/log/log.ts";
import { systemClock } from "#/std/time/clock.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { Fairness } from "./fairness.ts";
import { followFlowControl } from "./follow-flow-control.ts";

const schemas = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas";

test("followFlowControl() applies the condition of a schema whose level is missing", async () => {
  await using server = await startApiServer();
  const fairness = new Fairness({ clock: systemClock, totalSeats: 10, waitMs: 1000 });
  using _ = followFlowControl(fairness, server.registry, logger("flowcontrol"));
  const spec = { priorityLevelConfiguration: { name: "none" }, matchingPrecedence: 5 };
  await server.call("POST", schemas, { metadata: { name: "s" }, spec });
  const withCondition = async () => {
    const { json } = await server.call("GET", `${schemas}/s`);
    return json.status.conditions ? json : undefined;
  };
  let found = await withCondition();
  while (!found) found = await withCondition();
  const [condition] = found.status.conditions;
  assert.deepEqual(
    [condition.type, condition.status, condition.reason],
    ["Dangling", "True", "NotFound"],
  );
  const managers = found.metadata.managedFields.map(
    ({ operation, subresource, manager }: Record<string, string>) => ({
      operation,
      subresource,
      manager,
    }),
  );
  assert.deepEqual(managers[0], {
    operation: "Apply",
    subresource: "status",
    manager: "api-priority-and-fairness-config-consumer-v1",
  });
  assert.equal(managers.length, 2);
});
