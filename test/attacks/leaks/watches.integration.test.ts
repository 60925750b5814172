import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "#/testing/until.ts";
import { ApiServerProcess } from "../../faults/api-server-process.ts";
import { createConfigMap, registeredWatchers, watchPath } from "./watched-server.ts";
import { Watchers } from "./watchers.ts";

const count = 1_000;
/** Limit of the resident memory of a watch (KiB), with its stream, its share of a connection and garbage. */
const maxWatchKiB = 64;

test("1,000 watches get each event, need little memory, and end with their connections", async () => {
  await using server = await ApiServerProcess.start();
  const others = await registeredWatchers(server);
  const open = async () => Watchers.open(server.port, "token", await watchPath(server), count);
  const before = await server.residentMiB();
  {
    using watchers = await open();
    assert.equal((await registeredWatchers(server)) - others, count);
    const watchKiB = (((await server.residentMiB()) - before) * 1024) / count;
    assert.ok(watchKiB < maxWatchKiB, `a watch needs ${watchKiB} KiB`);
    for (let n = 1; n <= 3; n++) {
      await createConfigMap(server, `event-${n}`);
      await watchers.untilEach(n);
    }
    assert.equal(watchers.frames, 3 * count, "no watch gets an event twice");
  }
  await until("the watches are closed", async () => (await registeredWatchers(server)) === others);
});
