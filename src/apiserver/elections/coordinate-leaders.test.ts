import assert from "node:assert/strict";
import { test } from "node:test";
import { leases } from "#/api/coordination/v1.ts";
import { leaseCandidates } from "#/api/coordination/v1beta1.ts";
import { enabledFeatures } from "#/machinery/component/feature-gates.ts";
import { formatMicroTime } from "#/machinery/time/time.ts";
import { type Logger, logger } from "#/std/log/log.ts";
import { systemClock } from "#/std/time/clock.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { until } from "#/testing/until.ts";
import { coordinateLeaders } from "./coordinate-leaders.ts";
import { elect } from "./elect-leaders.ts";

const namespace = "kube-system";
const strategy = "OldestEmulationVersion";

test("coordinateLeaders() gives a lease to the oldest candidate, and pings silent ones first", async (t) => {
  const enabled = enabledFeatures({ CoordinatedLeaderElection: true });
  await using api = await startApiServer({ enabled });
  const client = api.client();
  const renewTime = formatMicroTime(systemClock.now() - 60_000);
  for (const [name, version] of [
    ["new", "1.37.0"],
    ["old", "1.36.0"],
  ] as const) {
    const spec = { leaseName: "boss", binaryVersion: "1.37.0", emulationVersion: version };
    const candidate = { metadata: { name, namespace }, spec: { ...spec, strategy, renewTime } };
    await client.create(leaseCandidates, candidate);
  }
  const stop = new AbortController();
  t.after(() => stop.abort());
  const times = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 };
  const log = logger("elections-test");
  const options = { client, clock: systemClock, log, ...times };
  const ended = coordinateLeaders(options, stop.signal);
  // Candidates respond to a ping at once.
  const answer = async (name: string) => {
    const read = () => client.get(leaseCandidates, { namespace, name });
    await until(`${name} is asked`, async () => (await read()).spec.pingTime !== undefined);
    const asked = await read();
    const spec = { ...asked.spec, renewTime: formatMicroTime(systemClock.now()) };
    await client.update(leaseCandidates, { ...asked, spec });
  };
  await Promise.all([answer("new"), answer("old")]);
  const boss = () => client.get(leases, { namespace, name: "boss" }).catch(() => undefined);
  await until("somebody leads", async () => (await boss()) !== undefined);
  const { holderIdentity, strategy: chosenBy } = (await boss())?.spec ?? {};
  assert.deepEqual([holderIdentity, chosenBy], ["old", strategy]);
  const own = await client.get(leases, { namespace, name: "leader-election-controller" });
  assert.notEqual(own.spec.holderIdentity ?? "", "");
  stop.abort();
  await ended;
});

test("elect() runs again when a lease of a candidate changes, and for no other lease", async (t) => {
  const enabled = enabledFeatures({ CoordinatedLeaderElection: true });
  await using api = await startApiServer({ enabled });
  const client = api.client();
  const clock = new FakeClock();
  const renewTime = formatMicroTime(clock.now());
  // They have different strategies, which is logged at each run.
  for (const strategy of ["example.com/one", "example.com/other"]) {
    const spec = { leaseName: "boss", binaryVersion: "1.37.0", emulationVersion: "1.37.0" };
    const metadata = { name: strategy.replace("/", "-"), namespace };
    await client.create(leaseCandidates, { metadata, spec: { ...spec, strategy, renewTime } });
  }
  let looks = 0;
  const silent = () => undefined;
  const log: Logger = {
    enabled: () => false,
    info: silent,
    v: silent,
    warning: () => void looks++,
    error: (error) => assert.fail(error as Error),
    with: () => log,
  };
  const stop = new AbortController();
  t.after(() => stop.abort());
  const ended = elect({ client, clock, log }, stop.signal);
  await until("it has looked", () => looks > 0);
  for (const name of ["node-a", "node-b", "node-c", "boss"]) {
    const spec = { holderIdentity: name, leaseDurationSeconds: 60, renewTime };
    await client.create(leases, { metadata: { name, namespace }, spec });
  }
  // Its watch reports all of them in order.
  await until("it has looked again", () => looks > 1);
  assert.equal(looks, 2);
  stop.abort();
  await ended;
});
