import { createServer } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { isMainThread } from "node:worker_threads";
import { nextTurn } from "#/std/time/clock.ts";

/**
 * Loaded into a server before its own code: answers each connection to a socket with the memory (MiB) of live objects
 * and buffers, after garbage collection. What is resident depends on when V8 last collected garbage, which a busy
 * machine delays.
 */
const path = process.env["LIVE_MEMORY_SOCKET"];
/** Rounds of collection: finalizers and closed handles are released in turns of the event loop. */
const rounds = 4;

if (isMainThread && path) {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const server = createServer(async (socket) => {
    socket.on("error", () => undefined);
    for (let round = 0; round < rounds; round++) {
      collectGarbage();
      await nextTurn();
    }
    const { heapUsed, external } = process.memoryUsage();
    socket.end(String((heapUsed + external) / 2 ** 20));
  });
  server.listen(path).unref();
}
