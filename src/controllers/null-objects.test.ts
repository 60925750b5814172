import assert from "node:assert/strict";
import { test } from "node:test";
import type { Resource } from "#/api/base/resource.ts";
import { resources } from "#/api/index.ts";
import { Client } from "#/client/client.ts";
import type {
  ApiRequest,
  ApiResponse,
  Transport,
  WatchEvent,
} from "#/client/transport/transport.ts";
import type { Controller } from "#/controller/controller.ts";
import { runControllers } from "#/controller/run-controllers.ts";
import { deepFreeze } from "#/machinery/objects/deep-freeze.ts";
import { parseFlags } from "#/std/flags/flags.ts";
import { configureLogging } from "#/std/log/log.ts";
import { systemClock } from "#/std/time/clock.ts";
import { nullObjects } from "#/testing/null-objects.ts";
import { controllerFlags } from "./base/controller-flags.ts";
import { genericFlags } from "./base/generic-flags.ts";
import type { ManagerOptions } from "./base/manager-options.ts";
import { controllerEntries } from "./index.ts";

type Json = Record<string, unknown>;

/** Every object that Go could write with a null, by the path of its resource. */
const objects = new Map<string, Json[]>();
let count = 0;
for (const { resource, object } of nullObjects(plausible)) {
  const metadata = (object["metadata"] ?? {}) as Json;
  object["metadata"] = { ...metadata, name: `object-${count}`, uid: `uid-${count++}` };
  const path = pathOf(resource);
  objects.set(path, [...(objects.get(path) ?? []), object]);
}

/**
 * Sets fields so that controllers process the rest: not being deleted, and in an existing
 * namespace.
 */
function plausible(object: Json, { namespaced }: Resource): void {
  const metadata = object["metadata"] as Json;
  delete metadata["deletionTimestamp"];
  delete metadata["deletionGracePeriodSeconds"];
  delete metadata["generateName"];
  if (namespaced) metadata["namespace"] = "object-0";
  else delete metadata["namespace"];
  metadata["resourceVersion"] = "1";
}

function pathOf({ group, version, name }: Resource): string {
  return group === "" ? `/api/${version}/${name}` : `/apis/${group}/${version}/${name}`;
}

/** Number of requests; a controller that sends no more has processed everything. */
let asked = 0;

/** A server with these objects that accepts every write. */
const served: Transport = {
  async request(request: ApiRequest): Promise<ApiResponse> {
    asked++;
    const body = answerTo(request);
    const status = body === undefined ? 404 : 200;
    return { status, headers: {}, body: deepFreeze(structuredClone(body ?? {})), warnings: [] };
  },
  async *watch({ path, signal }: ApiRequest): AsyncGenerator<WatchEvent<unknown>> {
    for (const object of objects.get(path) ?? [])
      yield { type: "ADDED", object: deepFreeze(object) };
    const annotations = { "k8s.io/initial-events-end": "true" };
    yield { type: "BOOKMARK", object: { metadata: { resourceVersion: "1", annotations } } };
    await new Promise((resolve) => signal?.addEventListener("abort", resolve, { once: true }));
  },
  stream: () => Promise.reject(new Error("no streams here")),
  upgrade: () => Promise.reject(new Error("no upgrades here")),
  [Symbol.asyncDispose]: () => Promise.resolve(),
};

function answerTo({ method, path, body }: ApiRequest): unknown {
  if (method !== "GET") return body ?? {};
  const all = path.replace(/\/namespaces\/[^/]+(?=\/)/, "");
  const items = objects.get(all);
  if (items) return { metadata: { resourceVersion: "1" }, items };
  const [, collection = "", name] = /^(.*)\/([^/]+)$/.exec(all) ?? [];
  return objects
    .get(collection)
    ?.find(({ metadata }) => (metadata as { name?: string } | null)?.name === name);
}

test("nullObjects() has objects of the resources that controllers watch", () => {
  assert.ok(objects.size > 50 && objects.size <= resources.length);
});

for (const { controller } of controllerEntries) {
  test(`${controller.name} reads null as absent in every list, map and time`, async () => {
    assert.deepEqual(await mistakesOf(controller), []);
  });
}

/**
 * The errors that a controller logs because of its own bugs, after it has processed every object.
 */
async function mistakesOf(controller: Controller<ManagerOptions>): Promise<string[]> {
  const lines: string[] = [];
  configureLogging({ write: (line: string) => lines.push(line) });
  const stop = new AbortController();
  const { values: flags } = parseFlags({ ...controllerFlags, ...genericFlags }, []);
  const options: ManagerOptions = { flags, enabled: () => true };
  const client = new Client(served);
  const running = runControllers([controller], { client, options }, stop.signal);
  const ended = running.catch((error: Error) => void lines.push(`${error.stack}`));
  await untilIdle(() => asked + lines.length);
  stop.abort();
  await ended;
  configureLogging({});
  const mistakes = lines.filter((line) =>
    /TypeError|not a function|undefined|not iterable/.test(line),
  );
  return [...new Set(mistakes.map((line) => line.replace(/object-\d+|uid-\d+|^.*?\] /g, "")))];
}

/** Resolves when a count has not changed for a while. */
async function untilIdle(count: () => number): Promise<void> {
  for (let before = -1, still = 0; still < idleTurns; ) {
    // A controller does not report that it is idle. A shorter time would find less, but not fail
    // more often.
    await systemClock.sleep(turnMs);
    still = count() === before ? still + 1 : 0;
    before = count();
  }
}

const turnMs = 10;
/** Less than the interval of retries after failures (100 ms), which go on for minutes. */
const idleTurns = 8;
