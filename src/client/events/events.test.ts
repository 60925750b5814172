import assert from "node:assert/strict";
import { test } from "node:test";
import { type ConfigMap, configMaps, events } from "#/api/core/v1.ts";
import { events as seriesEvents } from "#/api/events/v1.ts";
import { systemClock } from "#/std/time/clock.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { startApiServer, type TestApiServer } from "#/testing/start-api-server.ts";
import { newEventName } from "./event-reference.ts";
import { seriesRecorder } from "./event-series.ts";
import { recorder } from "./events.ts";

const settings: ConfigMap = { metadata: { name: "settings", namespace: "default" } };
const start = "2025-01-01T00:00:00Z";

async function recorded(api: TestApiServer): Promise<string[]> {
  const { items } = await api.client().list(events);
  return items
    .map(({ type, reason, message, count }) => `${type} ${reason} ${message} x${count}`)
    .sort();
}

test("recorder() writes an event as client-go does", async () => {
  const clock = new FakeClock(start);
  await using api = await startApiServer();
  const client = api.client();
  const object = await client.create(configMaps, settings);
  const to = recorder(client, { component: "tester", instance: "node-1", clock });
  to.event(object, "Normal", "Made", "Made it");
  await to.flushed();
  const [event] = (await client.list(events)).items;
  const { metadata, ...rest } = event ?? { metadata: {} };
  assert.match(metadata.name ?? "", /^settings\.1816687ec0570000$/);
  assert.deepEqual(rest, {
    kind: "Event",
    apiVersion: "v1",
    involvedObject: {
      kind: "ConfigMap",
      namespace: "default",
      name: "settings",
      uid: object.metadata.uid,
      apiVersion: "v1",
      resourceVersion: object.metadata.resourceVersion,
    },
    reason: "Made",
    message: "Made it",
    source: { component: "tester", host: "node-1" },
    firstTimestamp: start,
    lastTimestamp: start,
    count: 1,
    type: "Normal",
    reportingComponent: "tester",
    reportingInstance: "node-1",
  });
});

test("recorders of one object at the same time lose no event", async () => {
  const clock = new FakeClock(start);
  await using api = await startApiServer();
  const client = api.client();
  const object = await client.create(configMaps, settings);
  const both = [recorder, seriesRecorder].flatMap((make) =>
    ["a", "b"].map((component) => make(client, { component, clock })),
  );
  for (const to of both) to.event(object, "Normal", "Made", "Made it", { action: "Make" });
  for (const to of both) await to.flushed();
  assert.equal((await client.list(events)).items.length, 4);
});

test("newEventName() is finer than milliseconds, and always valid", () => {
  const clock = new FakeClock(start);
  const ahead = { ...systemClock, now: () => clock.now(), monotonicMs: () => 7.25 };
  assert.equal(newEventName("a", ahead), "a.1816687ec05ad090");
  assert.equal(newEventName("a", ahead), "a.1816687ec05ad091");
  assert.match(newEventName("Not A Name", clock), /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
});

test("recorder() counts repeated events, even when the event has expired", async () => {
  const clock = new FakeClock(start);
  await using api = await startApiServer();
  const client = api.client();
  const object = await client.create(configMaps, settings);
  const to = recorder(client, { component: "tester", clock });
  for (let times = 0; times < 3; times++) to.event(object, "Warning", "Failed", "No luck");
  await to.flushed();
  assert.deepEqual(await recorded(api), ["Warning Failed No luck x3"]);
  await client.deleteCollection(events, { namespace: "default" });
  to.event(object, "Warning", "Failed", "No luck");
  await to.flushed();
  assert.deepEqual(await recorded(api), ["Warning Failed No luck x4"]);
});

test("recorder() combines events that differ only in their message", async () => {
  const clock = new FakeClock(start);
  await using api = await startApiServer();
  const client = api.client();
  const object = await client.create(configMaps, settings);
  const to = recorder(client, { component: "tester", clock });
  for (let times = 1; times <= 12; times++) to.event(object, "Normal", "Tried", `Try ${times}`);
  await to.flushed();
  const all = await recorded(api);
  assert.equal(all.length, 10);
  assert.equal(all[0], "Normal Tried (combined from similar events): Try 12 x3");
});

test("recorder() drops events about one object over the limit", async () => {
  const clock = new FakeClock(start);
  await using api = await startApiServer();
  const client = api.client();
  const object = await client.create(configMaps, settings);
  const to = recorder(client, { component: "tester", clock });
  for (let times = 0; times < 40; times++) to.event(object, "Normal", "Same", "Same");
  await to.flushed();
  assert.deepEqual(await recorded(api), ["Normal Same Same x25"]);
  await clock.advance(300_000);
  to.event(object, "Normal", "Same", "Same");
  await to.flushed();
  assert.deepEqual(await recorded(api), ["Normal Same Same x41"]);
});

test("seriesRecorder() makes a series of repeated events", async () => {
  const clock = new FakeClock(start);
  await using api = await startApiServer();
  const client = api.client();
  const object = await client.create(configMaps, settings);
  const stop = new AbortController();
  const source = { component: "tester", instance: "tester-1", clock, signal: stop.signal };
  const to = seriesRecorder(client, source);
  const shown = async () => {
    await to.flushed();
    const { items } = await client.list(seriesEvents);
    return items.map(({ note, series, action, reportingController }) => ({
      note,
      action,
      reportingController,
      count: series?.count,
    }));
  };
  const event = { note: "Placed", action: "Binding", reportingController: "tester" };
  const record = () => to.event(object, "Normal", "Scheduled", "Placed", { action: "Binding" });
  record();
  assert.deepEqual(await shown(), [{ ...event, count: undefined }]);
  record();
  assert.deepEqual(await shown(), [{ ...event, count: 2 }]);
  record();
  record();
  assert.deepEqual(await shown(), [{ ...event, count: 2 }]);
  await clock.advance(13 * 60_000);
  assert.deepEqual(await shown(), [{ ...event, count: 4 }]);
  record();
  assert.equal((await shown()).length, 2);
  stop.abort();
  assert.equal(clock.pendingTimers, 0);
});
