import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "#/std/time/clock.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { Paths } from "../http/paths.ts";
import { addProfiles } from "./profile-paths.ts";

const paths = new Paths();
addProfiles(paths, systemClock);

test("addProfiles() lists the profiles, and answers 404 for others", async () => {
  await using api = await startApiServer({ resources: [], paths });
  const moved = await api.call("GET", "/debug/pprof");
  assert.deepEqual([moved.status, moved.headers["location"]], [302, "/debug/pprof/"]);
  const index = await api.call("GET", "/debug/pprof/");
  assert.deepEqual(
    [...index.text.matchAll(/href="(\w+)"/g)].map(([, name]) => name),
    ["profile", "allocs", "heap"],
  );
  const unknown = await api.call("GET", "/debug/pprof/goroutine");
  assert.deepEqual([unknown.status, unknown.text], [404, "Unknown profile\n"]);
});

test("addProfiles() returns profiles in V8's formats", async () => {
  await using api = await startApiServer({ resources: [], paths });
  const cpu = await api.call("GET", "/debug/pprof/profile?seconds=1");
  assert.equal(cpu.headers["content-disposition"], 'attachment; filename="profile.cpuprofile"');
  assert.ok(cpu.json.endTime - cpu.json.startTime >= 1e6, "it took a second");
  assert.equal(cpu.json.nodes[0].callFrame.functionName, "(root)");
  const allocations = await api.call("GET", "/debug/pprof/allocs?seconds=1");
  assert.equal(allocations.json.head.callFrame.functionName, "(root)");
  const heap = await api.call("GET", "/debug/pprof/heap?seconds=1");
  assert.equal(heap.json.head.callFrame.functionName, "(root)");
});

test("addProfiles() offers a snapshot of the heap only if asked to", async () => {
  await using api = await startApiServer({ resources: [], paths });
  assert.equal((await api.call("GET", "/debug/pprof/heapsnapshot")).status, 404);
  const own = new Paths();
  addProfiles(own, systemClock, true);
  await using socket = await startApiServer({ resources: [], paths: own });
  const { json } = await socket.call("GET", "/debug/pprof/heapsnapshot");
  assert.ok(json.snapshot.node_count > 1000);
});

test("addProfiles() stops recording when the client disconnects", async () => {
  await using api = await startApiServer({ resources: [], paths });
  const signal = AbortSignal.timeout(50);
  const url = "/debug/pprof/profile?seconds=3600";
  const { json } = await api.call("GET", url, undefined, { signal });
  assert.ok(json.endTime - json.startTime < 3600e6);
});
