import assert from "node:assert/strict";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { configureLogging, logger } from "#/std/log/log.ts";
import { systemClock } from "#/std/time/clock.ts";
import { openDebugSocket } from "./debug-socket.ts";

function ask(socketPath: string, method: string, path: string, body = ""): Promise<string> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ socketPath, method, path, agent: false }, async (response) => {
      const chunks = await Array.fromAsync(response);
      resolve(`${response.statusCode} ${Buffer.concat(chunks).toString()}`);
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

test("openDebugSocket() serves profiles and the log's level to every process that may open it", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "debug-socket-"));
  t.after(() => rm(directory, { recursive: true }));
  t.after(() => configureLogging({ verbosity: 0 }));
  const path = join(directory, "socket");
  const log = logger("debug-socket-test");
  await using _server = await openDebugSocket(path, systemClock, log);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  assert.match(await ask(path, "GET", "/debug/pprof/"), /^200 .*\/debug\/pprof\//s);
  assert.match(await ask(path, "GET", "/healthz"), /^404 /);
  assert.equal(log.enabled(5), false);
  const answer = await ask(path, "PUT", "/debug/flags/v", "5");
  assert.equal(answer, "200 successfully set klog.logging.verbosity to 5\n");
  assert.equal(log.enabled(5), true);
});
