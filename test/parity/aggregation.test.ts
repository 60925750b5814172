import assert from "node:assert/strict";
import { test } from "node:test";
import { openAdmission } from "#/apiserver/admission/open-admission.ts";
import { Aggregator } from "#/apiserver/aggregator/aggregator.ts";
import { apiServerFlags } from "#/apiserver/flags/index.ts";
import { Connections } from "#/apiserver/proxy/connections.ts";
import { parseFlags } from "#/std/flags/flags.ts";
import { logger } from "#/std/log/log.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { apiServicesArea } from "./cases/api-services.ts";
import { connectionsArea } from "./cases/connections.ts";
import { inProcessTarget } from "./in-process-target.ts";
import type { Target } from "./reference.ts";
import { replayArea } from "./replay.ts";

for (const area of [apiServicesArea, connectionsArea]) {
  test(`connections and aggregation answer as the real server does: ${area.name}`, async () => {
    await using server = await startConnectedServer();
    assert.deepEqual(await replayArea(server, area), []);
  });
}

/** Our server with connections into a cluster, and with its own APIs registered. */
async function startConnectedServer(): Promise<Target> {
  await using starting = new AsyncDisposableStack();
  const args = ["--etcd-servers=http://127.0.0.1:1", "--disable-admission-plugins=ServiceAccount"];
  const { values } = parseFlags(apiServerFlags, args);
  let aggregator: Aggregator | undefined;
  const server = starting.use(
    await startApiServer({
      // The clock stands still, so that the second never changes within a case.
      clock: new FakeClock(Date.UTC(2026, 10, 1)),
      connections: starting.use(new Connections()),
      gates: async (registry) => {
        aggregator = new Aggregator({
          registry,
          log: logger("parity"),
          routeToEndpoints: false,
          rejectRedirects: true,
        });
        const authorizer = {
          name: "AlwaysAllow",
          authorize: () => ({ decision: "allow" as const, reason: "" }),
        };
        return { aggregator, admission: await openAdmission(values, registry, authorizer) };
      },
    }),
  );
  const stop = new AbortController();
  starting.defer(() => stop.abort());
  await aggregator?.start(server.handler, stop.signal);
  const stack = starting.move();
  return inProcessTarget(server, { whole: stack });
}
