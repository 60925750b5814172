import assert from "node:assert/strict";
import { test } from "node:test";
import { checkLive, startTarget } from "./live/check-live.ts";

/** The same inputs in every run; run-live.ts uses others. */
const seed = 20261118;
const count = 800;

test("changed bodies end neither the server nor in a failure of it", async () => {
  await using server = await startTarget();
  const { problems, statuses } = await checkLive(server, seed, { from: 0, to: count });
  assert.deepEqual(problems, [], problems.join("\n\n"));
  // Some change nothing that matters: the inputs reach the server's rules.
  assert.ok((statuses.get(400) ?? 0) > 0 && (statuses.get(422) ?? 0) > 0);
  assert.ok((statuses.get(200) ?? 0) > 0);
});
