import assert from "node:assert/strict";
import { test } from "node:test";
import { planMoments } from "./kill/moments.ts";
import { runMoments } from "./kill/run-moments.ts";

/** Four moments: each program killed once, one of them again while it starts, and a full disk. */
const seed = 521;
const count = 4;

test("kill -9 and a full disk lose no acknowledged write and stop no container", async () => {
  const moments = planMoments(seed, count);
  const killed = new Set(moments.flatMap(({ kill }) => kill));
  assert.deepEqual([...killed].sort(), ["agent", "containerd", "server"]);
  assert.ok(moments.some(({ fullMs }) => fullMs !== undefined));
  const lines: string[] = [];
  const { violations, acknowledged, events } = await runMoments({
    seed,
    moments,
    report: (line) => void lines.push(line),
  });
  assert.deepEqual(violations, [], lines.join("\n"));
  assert.ok(acknowledged > 0 && events > 0);
});
