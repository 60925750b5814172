import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "#/testing/fake-clock.ts";
import { WorkQueue } from "../async/queue.ts";
import { Registry } from "./metrics.ts";
import { queueMetrics } from "./queue-metrics.ts";

test("queueMetrics() shows a queue under upstream's names", async () => {
  const registry = new Registry();
  const clock = new FakeClock();
  const queue = new WorkQueue<string>({ clock, observer: queueMetrics(registry)("job") });
  for (const key of ["a", "b", "c"]) queue.add(key);
  await clock.advance(1_000);
  await queue.get();
  await queue.get();
  await clock.advance(2_000);
  queue.addRateLimited("a");
  queue.done("a");
  const lines = [...registry.expose()].join("").split("\n");
  assert.deepEqual(
    lines.filter((line) => /^workqueue/.test(line) && !/_bucket/.test(line)),
    [
      'workqueue_adds_total{name="job"} 3',
      'workqueue_depth{name="job"} 1',
      'workqueue_longest_running_processor_seconds{name="job"} 2',
      'workqueue_queue_duration_seconds_sum{name="job"} 2',
      'workqueue_queue_duration_seconds_count{name="job"} 2',
      'workqueue_retries_total{name="job"} 1',
      'workqueue_unfinished_work_seconds{name="job"} 2',
      'workqueue_work_duration_seconds_sum{name="job"} 2',
      'workqueue_work_duration_seconds_count{name="job"} 1',
    ],
  );
});
