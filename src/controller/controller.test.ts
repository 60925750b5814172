import assert from "node:assert/strict";
import { test } from "node:test";
import { type ConfigMap, configMaps, secrets } from "#/api/core/v1.ts";
import { Client } from "#/client/client.ts";
import { ConnectionError } from "#/client/transport/connection-error.ts";
import type { Transport } from "#/client/transport/transport.ts";
import { controllerReference } from "#/machinery/meta/owner-references.ts";
import type { MaybePromise } from "#/std/base/maybe-promise.ts";
import { Registry } from "#/std/metrics/metrics.ts";
import { nextTurn } from "#/std/time/clock.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { type Controller, controller, watch } from "./controller.ts";
import { runControllers } from "./run-controllers.ts";

const configMap = (name: string, data: Record<string, string> = {}): ConfigMap => ({
  metadata: { name, namespace: "default" },
  data,
});
const ref = (name: string) => ({ name, namespace: "default" });

/** Runs a controller until the test ends. */
function start(client: Client, one: Controller, clock?: FakeClock): AsyncDisposable {
  const stop = new AbortController();
  const metrics = new Registry();
  const context = { client, options: undefined, metrics, ...(clock ? { clock } : {}) };
  const running = runControllers([one], context, stop.signal);
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}

async function until(holds: () => MaybePromise<boolean>): Promise<void> {
  for (let turns = 0; turns < 2000; turns++) {
    if (await holds()) return;
    await nextTurn();
  }
  assert.fail("it didn't come to pass");
}

/** Makes the number of Secrets that a ConfigMap specifies, with generated names. */
const secretMaker = controller({
  name: "secret-maker",
  for: configMaps,
  owns: [secrets],
  async reconcile(owner, { client, informers }) {
    const desired = Number(owner.data?.["count"] ?? 0);
    const store = informers.informer(secrets).store;
    const own = store
      .listNamespace("default")
      .filter(({ metadata }) => metadata.ownerReferences?.[0]?.uid === owner.metadata.uid);
    const ownerReferences = [controllerReference(owner, configMaps)];
    for (let count = own.length; count < desired; count++) {
      const metadata = { generateName: "made-", namespace: "default", ownerReferences };
      await client.create(secrets, { metadata });
    }
    for (const { metadata } of own.slice(desired)) {
      await client.delete(secrets, { name: metadata.name ?? "", namespace: "default" });
    }
  },
});

test("controller() keeps the number of children that the owner specifies", async () => {
  await using api = await startApiServer();
  const client = api.client();
  await client.create(configMaps, configMap("a", { count: "3" }));
  await using _running = start(client, secretMaker);
  const count = async () => (await client.list(secrets)).items.length;
  await until(async () => (await count()) === 3);
  const [first] = (await client.list(secrets)).items;
  await client.delete(secrets, ref(first?.metadata.name ?? ""));
  await until(async () => (await count()) === 3);
  await client.patch(configMaps, ref("a"), { data: { count: "1" } }, { type: "merge" });
  await until(async () => (await count()) === 1);
});

/** A transport whose watches deliver no events after the initial ones until they are released. */
class LaggingTransport implements Transport {
  readonly #inner: Transport;
  readonly #late = Promise.withResolvers<void>();
  /** Number of creations whose response is lost. */
  lost = 0;

  constructor(inner: Transport) {
    this.#inner = inner;
  }
  catchUp(): void {
    this.#late.resolve();
  }
  async request(request: Parameters<Transport["request"]>[0]) {
    const response = await this.#inner.request(request);
    if (request.method !== "POST" || this.lost === 0) return response;
    this.lost--;
    const url = `https://server${request.path}`;
    const cause = Object.assign(new Error("hung up"), { code: "ECONNRESET" });
    throw new ConnectionError({ method: "POST", url }, cause);
  }
  async *watch(request: Parameters<Transport["watch"]>[0]) {
    let initial = true;
    const aborted = new Promise<void>((resolve) => {
      request.signal?.addEventListener("abort", () => resolve(), { once: true });
    });
    for await (const event of this.#inner.watch(request)) {
      if (!initial) await Promise.race([this.#late.promise, aborted]);
      yield event;
      if (event.type === "BOOKMARK") initial = false;
    }
  }
  stream: Transport["stream"] = (request) => this.#inner.stream(request);
  upgrade: Transport["upgrade"] = (request, protocols) => this.#inner.upgrade(request, protocols);
  async [Symbol.asyncDispose]() {
    this.catchUp();
  }
}

test("controller() creates no child twice although its watches lag behind", async () => {
  await using api = await startApiServer();
  const client = api.client();
  await client.create(configMaps, configMap("a", { count: "3" }));
  const transport = new LaggingTransport(api.transport());
  await using _running = start(new Client(transport), secretMaker);
  const count = async () => (await client.list(secrets)).items.length;
  await until(async () => (await count()) === 3);
  // The owner has been reconciled again for each child, without watch events.
  for (let turn = 0; turn < 50; turn++) await nextTurn();
  assert.equal(await count(), 3);
  transport.catchUp();
  for (let turn = 0; turn < 50; turn++) await nextTurn();
  assert.equal(await count(), 3);
});

test("controller() creates no child twice although responses get lost", async () => {
  await using api = await startApiServer();
  const client = api.client();
  const clock = new FakeClock();
  const transport = new LaggingTransport(api.transport());
  transport.lost = 2;
  await client.create(configMaps, configMap("a", { count: "3" }));
  await using _running = start(new Client(transport), secretMaker, clock);
  const count = async () => (await client.list(secrets)).items.length;
  await until(async () => {
    await clock.advance(100);
    return (await count()) === 3;
  });
  await clock.advance(10_000);
  assert.deepEqual([await count(), transport.lost], [3, 0]);
});

test("controller() retries with back-off after an error, and later when asked to", async () => {
  await using api = await startApiServer();
  const client = api.client();
  const clock = new FakeClock();
  const calls: string[] = [];
  const outcomes: Record<string, () => { afterMs: number } | undefined> = {
    fails: () => {
      throw new Error("no luck");
    },
    later: () => ({ afterMs: 40 }),
    rests: () => undefined,
  };
  await using _running = start(
    client,
    controller({
      name: "tries-controller",
      for: configMaps,
      async reconcile({ metadata: { name = "" } }) {
        calls.push(`${name} ${clock.monotonicMs()}`);
        return outcomes[name]?.();
      },
      async gone({ name, namespace }) {
        calls.push(`${namespace}/${name} is gone`);
      },
    }),
    clock,
  );
  for (const name of Object.keys(outcomes)) await client.create(configMaps, configMap(name));
  await until(() => calls.length === 3);
  await clock.advance(100);
  assert.deepEqual(calls.toSorted(), [
    ...["fails 0", "fails 15", "fails 35", "fails 5", "fails 75"],
    ...["later 0", "later 40", "later 80", "rests 0"],
  ]);
  calls.length = 0;
  await client.delete(configMaps, ref("rests"));
  await until(() => calls.length === 1);
  assert.deepEqual(calls, ["default/rests is gone"]);
});

test("controller() waits at least a moment before a call that is due now", async () => {
  await using api = await startApiServer();
  const client = api.client();
  const clock = new FakeClock();
  const calls: number[] = [];
  await using _running = start(
    client,
    controller({
      name: "due-now-controller",
      for: configMaps,
      async reconcile() {
        calls.push(clock.monotonicMs());
        return { afterMs: 0 };
      },
    }),
    clock,
  );
  await client.create(configMaps, configMap("due"));
  await until(() => calls.length === 1);
  await clock.advance(2);
  assert.deepEqual(calls, [0, 1, 2]);
});

test("controller() retries as soon as an unsynced store has synced", async () => {
  await using api = await startApiServer();
  const client = api.client();
  await client.create(configMaps, configMap("a"));
  const calls: number[] = [];
  await using _running = start(
    client,
    controller({
      name: "reads-controller",
      for: configMaps,
      async reconcile(_, { informers }) {
        calls.push(informers.informer(configMaps).store.list().length);
        calls.push(informers.informer(secrets).store.list().length);
      },
    }),
    new FakeClock(),
  );
  await until(() => calls.length === 3);
  assert.deepEqual(calls, [1, 1, 0]);
});

test("controller() never reconciles one object in parallel", async () => {
  await using api = await startApiServer();
  const client = api.client();
  let [now, most, calls] = [0, 0, 0];
  await using _running = start(
    client,
    controller({
      name: "busy-controller",
      for: configMaps,
      workers: 8,
      async reconcile() {
        most = Math.max(most, ++now);
        for (let turn = 0; turn < 5; turn++) await nextTurn();
        now--;
        calls++;
      },
    }),
  );
  await client.create(configMaps, configMap("a"));
  for (let change = 0; change < 10; change++) {
    const data = { change: String(change) };
    await client.patch(configMaps, ref("a"), { data }, { type: "merge" });
    await nextTurn();
  }
  await until(() => calls >= 2 && now === 0);
  assert.equal(most, 1);
});

test("watch() maps the old and the new object to keys", async () => {
  await using api = await startApiServer();
  const client = api.client();
  const seen: string[] = [];
  await using _running = start(
    client,
    controller({
      name: "mapping-controller",
      for: configMaps,
      watches: [watch(secrets, ({ metadata }) => [`default/${metadata.labels?.["for"]}`])],
      reconcile: async ({ metadata }) => void seen.push(metadata.name ?? ""),
    }),
  );
  for (const name of ["a", "b"]) await client.create(configMaps, configMap(name));
  await until(() => seen.length === 2);
  seen.length = 0;
  await client.create(secrets, { metadata: { ...ref("s"), labels: { for: "a" } } });
  await until(() => seen.length === 1);
  const moved = { metadata: { labels: { for: "b" } } };
  await client.patch(secrets, ref("s"), moved, { type: "merge" });
  await until(() => seen.length === 3);
  assert.deepEqual(seen, ["a", "a", "b"]);
});

test("runControllers() stops all controllers when one fails", async () => {
  await using api = await startApiServer();
  const dying: Controller = { name: "dying", run: () => Promise.reject(new Error("died")) };
  const context = { client: api.client(), options: undefined };
  await assert.rejects(
    runControllers([secretMaker, dying], context, new AbortController().signal),
    /died/,
  );
});
