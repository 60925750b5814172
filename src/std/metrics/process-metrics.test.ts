import assert from "node:assert/strict";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { test } from "node:test";
import { FakeClock } from "#/testing/fake-clock.ts";
import { until } from "#/testing/until.ts";
import { nextTurn, systemClock } from "../time/clock.ts";
import { Registry } from "./metrics.ts";
import { processMetrics } from "./process-metrics.ts";

function samples(registry: Registry): Map<string, number> {
  const lines = [...registry.expose()].join("").split("\n");
  const pairs = lines.flatMap((line) => {
    const [, name, value] = /^([a-z_]+(?:\{.*\})?) (\S+)$/.exec(line) ?? [];
    return name === undefined ? [] : [[name, Number(value)] as const];
  });
  return new Map(pairs);
}

function block(ms: number): void {
  const end = systemClock.monotonicMs() + ms;
  while (systemClock.monotonicMs() < end);
}

test("processMetrics() reports memory, descriptors, CPU time and start", () => {
  const registry = new Registry();
  using _metrics = processMetrics(registry);
  const first = samples(registry);
  const value = (name: string) => first.get(name) ?? Number.NaN;
  assert.ok(value("process_resident_memory_bytes") > 10e6);
  assert.ok(value("process_virtual_memory_bytes") > value("process_resident_memory_bytes"));
  assert.ok(value("nodejs_heap_size_used_bytes") > 1e6);
  assert.ok(value("process_open_fds") > 2 && value("process_open_fds") < value("process_max_fds"));
  const ageSeconds = systemClock.now() / 1000 - value("process_start_time_seconds");
  assert.ok(ageSeconds > 0 && ageSeconds < 600);
  block(20);
  const later = samples(registry).get("process_cpu_seconds_total") ?? 0;
  assert.ok(later > value("process_cpu_seconds_total"));
});

const worstLag = 'nodejs_eventloop_lag_seconds{quantile="1"}';

test("processMetrics() reports the event loop delay since the last scrape", async () => {
  const registry = new Registry();
  using _metrics = processMetrics(registry);
  assert.equal(samples(registry).has(worstLag), false);
  // Started later with the same resolution: what it has measured is in the metrics by the next
  // turn.
  using control = monitorEventLoopDelay({ resolution: 100 });
  control.enable();
  await until("the delay is measured", () => control.count > 0);
  block(300);
  await until("the block is seen", () => control.max > 250e6);
  await nextTurn();
  assert.ok((samples(registry).get(worstLag) ?? 0) > 0.05);
});

test("processMetrics() samples the event loop only while it is scraped", async () => {
  const registry = new Registry();
  const clock = new FakeClock();
  using _metrics = processMetrics(registry, clock);
  const isMeasured = () => samples(registry).has(worstLag);
  assert.deepEqual([isMeasured(), isMeasured()], [false, true]);
  await clock.advance(15 * 60_000);
  assert.deepEqual([isMeasured(), isMeasured()], [false, true]);
});
