import { parseArgs } from "node:util";
import { systemClock } from "#/std/time/clock.ts";
import { ApiServerProcess } from "../../faults/api-server-process.ts";
import { createConfigMap, registeredWatchers, watchPath } from "./watched-server.ts";
import { Watchers } from "./watchers.ts";

/** Opens many watches on one server and prints their cost: `node test/attacks/leaks/run-watches.ts --watches 10000`. */
const { values } = parseArgs({
  options: {
    watches: { type: "string", default: "10000" },
    events: { type: "string", default: "20" },
  },
});
const count = Number(values.watches);
const events = Number(values.events);
await using server = await ApiServerProcess.start();
const print = (line: string) => void process.stdout.write(`${line}\n`);
const before = await server.residentMiB();
const openedCpu = await server.cpuMs();
using watchers = await Watchers.open(server.port, "token", await watchPath(server), count);
const openMiB = await server.residentMiB();
const kib = ((openMiB - before) * 1024) / count;
print(`${await registeredWatchers(server)} watches: ${kib.toFixed(1)} KiB each`);
print(`to open one: ${(((await server.cpuMs()) - openedCpu) / count).toFixed(2)} ms of CPU`);
const cpuMs = await server.cpuMs();
const delays: number[] = [];
for (let n = 1; n <= events; n++) {
  const startMs = systemClock.monotonicMs();
  await createConfigMap(server, `event-${n}`);
  await watchers.untilEach(n);
  delays.push(systemClock.monotonicMs() - startMs);
}
const eventMs = ((await server.cpuMs()) - cpuMs) / events;
delays.sort((a, b) => a - b);
const median = delays[Math.floor(delays.length / 2)] ?? 0;
print(
  `an event to all: ${eventMs.toFixed(0)} ms of CPU, ${((eventMs * 1000) / count).toFixed(1)} µs per watch`,
);
print(
  `until the last watch has it, client included: median ${median.toFixed(0)} ms, at most ${delays.at(-1)?.toFixed(0)} ms`,
);
print(
  `resident: ${before.toFixed(0)} MiB before, ${openMiB.toFixed(0)} MiB open, ${(await server.residentMiB()).toFixed(0)} MiB after the events`,
);
