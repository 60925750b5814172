/** The node monitor while clocks step, watches are stuck, and nodes can't be updated. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { leases } from "#/api/coordination/v1.ts";
import { namespaces, nodes } from "#/api/core/v1.ts";
import { Client } from "#/client/client.ts";
import type { ApiRequest } from "#/client/transport/transport.ts";
import { runControllers } from "#/controller/run-controllers.ts";
import { findCondition } from "#/machinery/meta/conditions.ts";
import { formatMicroTime } from "#/machinery/time/time.ts";
import { parseFlags } from "#/std/flags/flags.ts";
import { nextTurn, systemClock } from "#/std/time/clock.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { interceptTransport } from "#/testing/intercept-transport.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { until } from "#/testing/until.ts";
import { controllerFlags } from "../base/controller-flags.ts";
import { genericFlags } from "../base/generic-flags.ts";
import { nodeLifecycleController } from "./node-lifecycle.ts";

const namespace = "kube-node-lease";

async function started(names: readonly string[]) {
  const api = await startApiServer();
  const clock = new FakeClock(systemClock.now());
  const client = api.client();
  const faults: { refuses?: (request: ApiRequest) => boolean; stuck?: Promise<void> } = {};
  const transport = interceptTransport(api.transport(), {
    before(request) {
      if (faults.refuses?.(request)) throw new Error("refused");
    },
    beforeEvent: ({ path }) => (path.endsWith("/leases") ? faults.stuck : undefined),
  });
  await client
    .create(namespaces, { metadata: { name: namespace }, spec: {} })
    .catch(() => undefined);
  for (const name of names) {
    const made = await client.create(nodes, { metadata: { name }, spec: {} });
    const conditions = [{ type: "Ready", status: "True" }];
    await client.updateStatus(nodes, { ...made, status: { conditions } });
    await client.create(leases, { metadata: { name, namespace }, spec: { holderIdentity: name } });
  }
  const stop = new AbortController();
  const flags = parseFlags({ ...controllerFlags, ...genericFlags }, []).values;
  const running = runControllers(
    [nodeLifecycleController],
    { client: new Client(transport, { clock }), options: { flags, enabled: () => true }, clock },
    stop.signal,
  );
  let beats = 0;
  const beat = async (name: string): Promise<void> => {
    const renewTime = formatMicroTime(systemClock.now() + beats++);
    await client.patch(leases, { name, namespace }, { spec: { renewTime } }, { type: "merge" });
  };
  return {
    client,
    clock,
    faults,
    beat,
    /** Lets time pass, with heartbeats of some nodes. */
    async pass(seconds: number, alive: readonly string[]): Promise<void> {
      for (let at = 0; at < seconds; at += 5) {
        for (const name of alive) await beat(name);
        await clock.advance(5000);
        for (let turn = 0; turn < 30; turn++) await nextTurn();
      }
    },
    /** Of each node the status of its Ready condition, and whether its Pods are evicted. */
    async state(): Promise<string> {
      const { items } = await client.list(nodes);
      return items
        .map(({ status, spec }) => {
          const isEvicted = spec?.taints?.some(({ effect }) => effect === "NoExecute");
          return `${findCondition(status?.conditions, "Ready")?.status}${isEvicted ? " evicted" : ""}`;
        })
        .join(", ");
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
      await api[Symbol.asyncDispose]();
    },
  };
}

test("node monitor marks a silent node, and only that", async () => {
  await using run = await started(["a", "b", "c"]);
  await run.pass(70, ["a", "b"]);
  assert.equal(await run.state(), "True, True, Unknown evicted");
});

test("node monitor evicts nothing from a node that has not reported yet", async () => {
  await using run = await started(["a", "b"]);
  await run.client.create(nodes, { metadata: { name: "new" }, spec: {} });
  await run.pass(30, ["a", "b"]);
  assert.equal(await run.state(), "True, True, undefined");
  await run.pass(60, ["a", "b"]);
  assert.equal(await run.state(), "True, True, Unknown evicted");
});

test("node monitor ignores steps of the wall clock", async () => {
  await using run = await started(["a", "b", "c"]);
  await run.pass(10, ["a", "b", "c"]);
  run.clock.setWallClock(run.clock.now() + 3_600_000);
  await run.pass(30, []);
  assert.equal(await run.state(), "True, True, True");
  run.clock.setWallClock(run.clock.now() - 7_200_000);
  await run.pass(60, ["a", "b"]);
  assert.equal(await run.state(), "True, True, Unknown evicted");
});

test("node monitor trusts no lease while the watch of leases is stuck", async () => {
  await using run = await started(["a", "b", "c"]);
  await run.pass(10, ["a", "b", "c"]);
  const released = Promise.withResolvers<void>();
  run.faults.stuck = released.promise;
  await run.pass(120, ["a", "b", "c"]);
  assert.equal(await run.state(), "True, True, True");
  released.resolve();
  delete run.faults.stuck;
  await run.pass(120, ["a", "b"]);
  assert.equal(await run.state(), "True, True, Unknown evicted");
});

test("node monitor skips a node that it can't update, and goes on with the others", async () => {
  await using run = await started(["a", "b", "c"]);
  run.faults.refuses = ({ method, path }) =>
    method === "PUT" && path.startsWith("/api/v1/nodes/a/");
  const reaches = (expected: string) =>
    until(expected, async () => {
      await run.pass(5, ["c"]);
      return (await run.state()) === expected;
    });
  await reaches("True, Unknown evicted, True");
  delete run.faults.refuses;
  await reaches("Unknown evicted, Unknown evicted, True");
});

test("node monitor cancels evictions when all nodes are down, and gives each time afterwards", async () => {
  await using run = await started(["a", "b", "c"]);
  await run.pass(70, ["a", "b"]);
  assert.equal(await run.state(), "True, True, Unknown evicted");
  await run.pass(90, []);
  assert.equal(await run.state(), "Unknown, Unknown, Unknown");
  // The kubelet of "a" returns.
  const ready = [{ type: "Ready", status: "True", lastHeartbeatTime: "2026-01-01T00:00:00Z" }];
  await run.client.patchStatus(nodes, { name: "a" }, { status: { conditions: ready } });
  await run.pass(10, ["a"]);
  assert.match(await run.state(), /^True, Unknown/);
  await run.pass(120, ["a"]);
  assert.equal(await run.state(), "True, Unknown evicted, Unknown evicted");
});
