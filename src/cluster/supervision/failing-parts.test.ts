import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { FakeClock } from "#/testing/fake-clock.ts";
import { until } from "#/testing/until.ts";
import { clusterPaths } from "../base/paths.ts";
import { failingParts, recordFailures } from "./failing-parts.ts";

test("failingParts() lists the parts that have failed repeatedly since a time", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "failing-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const paths = clusterPaths(folder);
  mkdirSync(paths.run);
  const clock = new FakeClock();
  assert.deepEqual(failingParts(paths, "agent", clock.now() - 1), []);
  const record = recordFailures(paths, "agent", clock);
  record({ part: "cluster-dns", failures: 1, error: "port 53 is in use" });
  record({ part: "gateway", failures: 1, error: "once" });
  record({ part: "cluster-dns", failures: 2, error: "port 53 is in use" });
  await until("they are written", () => failingParts(paths, "agent", clock.now() - 1).length > 0);
  const failing = { part: "cluster-dns", failures: 2, error: "port 53 is in use" };
  assert.deepEqual(failingParts(paths, "agent", clock.now() - 1), [failing]);
  assert.deepEqual(failingParts(paths, "server", clock.now() - 1), []);
  await clock.advance(1);
  assert.deepEqual(failingParts(paths, "agent", clock.now() - 1), []);
});
