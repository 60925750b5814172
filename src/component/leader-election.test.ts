import assert from "node:assert/strict";
import { test } from "node:test";
import { leases } from "#/api/coordination/v1.ts";
import { configMaps } from "#/api/core/v1.ts";
import { Client } from "#/client/client.ts";
import { type Fence, fencedTransport } from "#/client/fenced-connect.ts";
import { aborted } from "#/std/async/aborted.ts";
import { nextTurn } from "#/std/time/clock.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { startApiServer, type TestApiServer } from "#/testing/start-api-server.ts";
import { type LeaderElectionOptions, runAsLeader } from "./leader-election.ts";

const lease = { namespace: "kube-system", name: "test" };

/** A candidate that records when its leadership begins and ends. */
function candidate(
  api: TestApiServer,
  identity: string,
  { clock, log, ...rest }: { clock: FakeClock; log: string[] } & Partial<LeaderElectionOptions>,
): { stop: AbortController; ended: Promise<void> } {
  const stop = new AbortController();
  const options = { client: api.client(), lease, identity, clock, random: () => 0, ...rest };
  const run = async (signal: AbortSignal) => {
    log.push(`${identity} leads`);
    await new Promise<void>((resolve) => {
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
    log.push(`${identity} ends`);
  };
  return { stop, ended: runAsLeader(options, run, stop.signal) };
}

/** The clock of a process that was stopped: time has passed, and no timer has run. */
class StoppedClock extends FakeClock {
  stoppedMs = 0;

  override monotonicMs(): number {
    return super.monotonicMs() + this.stoppedMs;
  }
}

/** Advances the clock in steps, so that requests complete in between. */
async function pass(clock: FakeClock, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 500) {
    await clock.advance(500);
    for (let turn = 0; turn < 10; turn++) await nextTurn();
  }
}

test("runAsLeader() has one leader at a time, and the next after a release", async () => {
  await using api = await startApiServer();
  const clock = new FakeClock("2025-01-01T00:00:00Z");
  const log: string[] = [];
  const a = candidate(api, "a", { clock, log });
  await pass(clock, 100);
  const b = candidate(api, "b", { clock, log });
  await pass(clock, 60_000);
  assert.deepEqual(log, ["a leads"]);
  const reason = new Error("enough");
  a.stop.abort(reason);
  await assert.rejects(a.ended, reason);
  await pass(clock, 3_000);
  assert.deepEqual(log, ["a leads", "a ends", "b leads"]);
  const { spec } = await api.client().get(leases, lease);
  assert.deepEqual(
    [spec?.holderIdentity, spec?.leaseTransitions, spec?.leaseDurationSeconds],
    ["b", 1, 15],
  );
  b.stop.abort(reason);
  await assert.rejects(b.ended, reason);
  assert.equal((await api.client().get(leases, lease)).spec?.holderIdentity ?? "", "");
});

test("runAsLeader() refuses writes of a leader that was stopped, before its timers run", async () => {
  await using api = await startApiServer();
  const clock = new StoppedClock();
  const stop = new AbortController();
  const checks: (() => void)[] = [];
  const run = async (signal: AbortSignal, { check }: Fence) => {
    checks.push(check);
    await aborted(signal);
  };
  const options = { client: api.client(), lease, identity: "a", clock, random: () => 0 };
  const ended = runAsLeader(options, run, stop.signal);
  await pass(clock, 20_000);
  const [check] = checks;
  assert.ok(check);
  check();
  clock.stoppedMs = 15_000;
  assert.throws(check, { message: "leaderelection lost" });
  stop.abort();
  await ended.catch(() => undefined);
});

test("runAsLeader() fences writes by its term, also those that arrive when another one leads", async () => {
  await using api = await startApiServer();
  const clock = new FakeClock("2025-01-01T00:00:00Z");
  const stop = new AbortController();
  const plain = api.client();
  const led = Promise.withResolvers<Client>();
  const run = async (signal: AbortSignal, { term }: Fence) => {
    // A request that has passed the checks of this process already.
    const sent = { signal: new AbortController().signal, check: () => undefined, term };
    led.resolve(new Client(fencedTransport(api.transport(), sent)));
    await aborted(signal);
  };
  const ended = runAsLeader({ client: plain, lease, identity: "a", clock }, run, stop.signal);
  const leading = await led.promise;
  await leading.create(configMaps, { metadata: { namespace: "default", name: "in-time" } });
  await pass(clock, 6_000);
  await leading.create(configMaps, { metadata: { namespace: "default", name: "renewed" } });
  stop.abort();
  await ended.catch(() => undefined);
  await assert.rejects(
    leading.create(configMaps, { metadata: { namespace: "default", name: "late" } }),
    /the term in which the write was sent has ended/,
  );
});

test("runAsLeader() takes over from a silent leader, which has stopped by then", async () => {
  await using api = await startApiServer();
  const clock = new FakeClock("2025-01-01T00:00:00Z");
  const log: string[] = [];
  const client = api.client();
  let reachable = true;
  const inner = client.transport;
  const cut = new Proxy(inner, {
    get(target, name: "request") {
      if (name !== "request") return Reflect.get(target, name, target);
      return async (request: Parameters<typeof inner.request>[0]) => {
        if (!reachable) throw new Error("unreachable");
        return target.request(request);
      };
    },
  });
  const a = candidate(api, "a", { clock, log, client: new Client(cut) });
  const lost = assert.rejects(a.ended, { message: "leaderelection lost" });
  await pass(clock, 100);
  const b = candidate(api, "b", { clock, log });
  await pass(clock, 4_000);
  reachable = false;
  await pass(clock, 30_000);
  await lost;
  assert.deepEqual(log, ["a leads", "a ends", "b leads"]);
  b.stop.abort();
  await b.ended.catch(() => undefined);
});
