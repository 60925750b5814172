import { createServer } from "node:net";
import { isMainThread } from "node:worker_threads";
import { nextTurn } from "#/std/time/clock.ts";

/**
 * Loaded into a server before its own code (see `startTurnMeter`): as long as a connection to its socket is open, it
 * measures the CPU time of each turn of the event loop. When the other side ends, it answers with that of the longest
 * turn, and with that of the same work each time (ms): a processor that is shared is slower for both. CPU time is the
 * main thread's, without the kernel's part: at the first use of a page, a virtual machine may wait for its host, which
 * counts as that. A number that the meter receives is the CPU time (ms) of a turn to compute.
 */
const path = process.env["TURN_METER_SOCKET"];
if (isMainThread && path) {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const meter = measureTurns();
    const answer = () => socket.end(`${meter.stop()} ${sameWorkMs()}`);
    socket.on("end", answer).on("error", () => meter.stop());
    socket.on("data", (text) => compute(Number(text)));
    socket.write("measuring\n");
  });
  server.listen(path).unref();
}

/** The CPU time (ms) of the same work each time, about 10 ms: the most of some rounds. */
function sameWorkMs(): number {
  const items = Array.from({ length: 20_000 }, (_, index) => {
    return { name: `item-${index}`, value: { nested: [index, `${index}`], on: true } };
  });
  const rounds = Array.from({ length: 3 }, () => {
    const before = process.threadCpuUsage();
    JSON.parse(JSON.stringify(items));
    return process.threadCpuUsage(before).user / 1000;
  });
  return Math.max(...rounds);
}

function compute(durationMs: number): void {
  const before = process.threadCpuUsage();
  while (process.threadCpuUsage(before).user < durationMs * 1000);
}

function measureTurns(): { stop(): number } {
  let isStopped = false;
  let longestMs = 0;
  let before = process.threadCpuUsage();
  const watch = async (): Promise<void> => {
    while (!isStopped) {
      await nextTurn();
      const { user } = process.threadCpuUsage(before);
      before = process.threadCpuUsage();
      longestMs = Math.max(longestMs, user / 1000);
    }
  };
  void watch();
  return {
    stop() {
      isStopped = true;
      return longestMs;
    },
  };
}
