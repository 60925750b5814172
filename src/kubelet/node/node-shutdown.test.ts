import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod } from "#/api/core/v1.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { StoredValue } from "../state/stored-value.ts";
import { admitDuringShutdown, NodeShutdown, shutdownProblem } from "./node-shutdown.ts";
import { parseAnnouncement } from "./parse-announcement.ts";

const pod = (name: string, priority = 0): Pod => ({
  metadata: { name },
  spec: { priority, containers: [], terminationGracePeriodSeconds: 30 },
});

test("NodeShutdown ends ordinary pods first, refuses new ones, then releases the machine", async () => {
  const story: string[] = [];
  const shuttingDown = new StoredValue(false);
  const shutdown = new NodeShutdown({
    source: {
      hold: async () => void story.push("hold"),
      release: async () => void story.push("release"),
      async *events() {
        yield true;
        story.push(`${shutdownProblem(shuttingDown.value)}`);
        yield false;
      },
    },
    clock: new FakeClock(),
    gracePeriodMs: 30_000,
    criticalMs: 10_000,
    activePods: () => [pod("vital", 2_000_000_000), pod("plain")],
    evict: async ({ metadata }, { gracePeriodSeconds, reason }) => {
      assert.equal(admitDuringShutdown(shuttingDown.value).admitted, false);
      story.push(`${metadata.name} ${reason} ${gracePeriodSeconds}`);
    },
    shuttingDown,
  });
  await shutdown.run(new AbortController().signal);
  assert.deepEqual(story, [
    "hold",
    "plain Terminated 20",
    "vital Terminated 10",
    "release",
    "node is shutting down",
    "hold",
  ]);
  assert.deepEqual(admitDuringShutdown(shuttingDown.value), { admitted: true });
});

test("parseAnnouncement() reads the bus monitor's lines", () => {
  const line =
    '{"type":"signal","member":"PrepareForShutdown","payload":{"type":"b","data":[true]}}';
  assert.equal(parseAnnouncement(line), true);
  assert.equal(parseAnnouncement('{"member":"Other"}'), undefined);
  assert.equal(parseAnnouncement("Monitoring bus message stream."), undefined);
});
