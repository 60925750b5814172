/** Upstream: the process collector of Prometheus' Go client; for Node's own, prom-client. */
import { readdirSync, readFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { type Clock, systemClock, type Timer } from "../time/clock.ts";
import { onLongTurn } from "../time/turn-watch.ts";
import type { Gauge } from "./metric-series.ts";
import type { Labelled, Registry } from "./metrics.ts";

type IntervalHistogram = ReturnType<typeof monitorEventLoopDelay>;

/** Sampling interval of the event loop delay (ms); each sample wakes an idle process. */
const resolutionMs = 100;
/** Time without a scrape (ms) after which sampling ends. */
const unreadMs = 10 * 60_000;

/** Adds metrics of the process. Dispose of the result to stop sampling the event loop, which the first scrape starts. */
export function processMetrics(registry: Registry, clock: Clock = systemClock): Disposable {
  processStartTime(registry, clock);
  for (const { name, help, read } of gauges) registry.gauge({ name, help }).setFunction(read);
  addCpuTime(registry);
  using opening = new DisposableStack();
  opening.use(addLongTurns(registry));
  opening.use(addEventLoopDelay(registry, clock));
  return opening.move();
}

function addLongTurns(registry: Registry): Disposable {
  const turns = registry.counter({
    name: "nodejs_eventloop_long_turns_total",
    help: "Turns of the event loop over 50 ms, by the kind of their longest work.",
    labels: ["work"],
  });
  return onLongTurn(({ work }) => turns.with({ work: work.workKind }).inc());
}

/** Adds the start time of the process. */
export function processStartTime(registry: Registry, clock: Clock = systemClock): void {
  const startTime = registry.gauge({
    name: "process_start_time_seconds",
    help: "Start time of the process since unix epoch in seconds.",
    stability: "ALPHA",
  });
  startTime.set(clock.now() / 1000 - process.uptime());
}

const gauges: readonly { name: string; help: string; read: () => number }[] = [
  {
    name: "process_resident_memory_bytes",
    help: "Resident memory size in bytes.",
    read: () => process.memoryUsage.rss(),
  },
  {
    name: "process_virtual_memory_bytes",
    help: "Virtual memory size in bytes.",
    read: () => Number(/^VmSize:\s+(\d+) kB$/m.exec(readProc("status"))?.[1] ?? 0) * 1024,
  },
  {
    name: "process_open_fds",
    help: "Number of open file descriptors.",
    // One of them is the directory itself.
    read: () => readdirSync("/proc/self/fd").length - 1,
  },
  {
    name: "process_max_fds",
    help: "Maximum number of open file descriptors.",
    read: () => Number(/^Max open files\s+(\d+)/m.exec(readProc("limits"))?.[1] ?? 0),
  },
  {
    name: "nodejs_heap_size_used_bytes",
    help: "Process heap size used from Node.js in bytes.",
    read: () => process.memoryUsage().heapUsed,
  },
  {
    name: "nodejs_external_memory_bytes",
    help: "Node.js external memory size in bytes.",
    read: () => process.memoryUsage().external,
  },
];

function addCpuTime(registry: Registry): void {
  const cpu = registry.counter({
    name: "process_cpu_seconds_total",
    help: "Total user and system CPU time spent in seconds.",
  });
  let counted = { user: 0, system: 0 };
  registry.beforeExpose(() => {
    const used = process.cpuUsage();
    cpu.inc((used.user - counted.user + used.system - counted.system) / 1e6);
    counted = used;
  });
}

function addEventLoopDelay(registry: Registry, clock: Clock): Disposable {
  const gauge = registry.gauge({
    name: "nodejs_eventloop_lag_seconds",
    help: "How late the event loop was since the last scrape.",
    labels: ["quantile"],
  });
  let histogram: IntervalHistogram | undefined;
  let unread: Timer | undefined;
  const stop = (): void => {
    unread?.cancel();
    histogram?.disable();
    histogram = undefined;
    gauge.reset();
  };
  registry.beforeExpose(() => {
    if (histogram) {
      setDelays(gauge, histogram);
      histogram.reset();
    } else {
      histogram = monitorEventLoopDelay({ resolution: resolutionMs });
      histogram.enable();
    }
    unread?.cancel();
    unread = clock.setTimer(unreadMs, stop, { keepAlive: false });
  });
  return { [Symbol.dispose]: stop };
}

function setDelays(gauge: Labelled<"quantile", Gauge>, histogram: IntervalHistogram): void {
  for (const quantile of [0.5, 0.9, 0.99, 1]) {
    // A sample is the time between two timer ticks; the excess over the interval is delay.
    const delayMs = histogram.percentile(quantile * 100) / 1e6 - resolutionMs;
    gauge.with({ quantile: String(quantile) }).set(Math.max(0, delayMs) / 1000);
  }
}

function readProc(file: string): string {
  return readFileSync(`/proc/self/${file}`, "utf8");
}
