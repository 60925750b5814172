/** Garbage collection while watches lag, resources can't be listed, and references are wrong. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { customResourceDefinitions } from "#/api/apiextensions/v1.ts";
import {
  configMaps,
  namespaces,
  type ObjectReference,
  persistentVolumes,
  secrets,
} from "#/api/core/v1.ts";
import { Client } from "#/client/client.ts";
import type { DynamicResource } from "#/client/discovery/resource-catalog.ts";
import type { EventRecorder } from "#/client/events/event-recorder.ts";
import type { Transport } from "#/client/transport/transport.ts";
import { runControllers } from "#/controller/run-controllers.ts";
import { ownerReference } from "#/machinery/meta/owner-reference.ts";
import { isNotFound } from "#/machinery/meta/status-error.ts";
import { parseFlags } from "#/std/flags/flags.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { interceptTransport } from "#/testing/intercept-transport.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { until } from "#/testing/until.ts";
import { controllerFlags } from "../base/controller-flags.ts";
import { genericFlags } from "../base/generic-flags.ts";
import { garbageCollectorController } from "./garbage-collector.ts";

/** A transport whose lists and watches of some paths fail, as of a dead conversion webhook. */
const withoutLists = (inner: Transport, unlistable: ReadonlySet<string>): Transport =>
  interceptTransport(inner, {
    before({ method, path }) {
      if (method === "GET" && unlistable.has(path)) throw new Error("conversion webhook failed");
    },
  });

async function started(...unlistable: string[]) {
  const api = await startApiServer();
  const clock = new FakeClock();
  const failing = new Set(unlistable);
  const client = new Client(withoutLists(api.transport(), failing), { clock });
  const events: string[] = [];
  const recorder: EventRecorder = {
    event(object, type, reason, message) {
      const { namespace = "", name } = object as ObjectReference;
      events.push(`${namespace}/${name} ${type} ${reason} ${message}`);
    },
  };
  const stop = new AbortController();
  const flags = parseFlags({ ...controllerFlags, ...genericFlags }, []).values;
  const options = { flags, enabled: () => true };
  for (const name of ["a", "z"]) await client.create(namespaces, { metadata: { name }, spec: {} });
  const run = () =>
    runControllers(
      [garbageCollectorController],
      { client, options, clock, recorderFor: () => recorder },
      stop.signal,
    );
  let running: Promise<void> | undefined;
  return {
    client: api.client(),
    clock,
    events,
    failing,
    start(): void {
      running = run();
    },
    until: (what: string, holds: () => Promise<boolean> | boolean) =>
      until(what, async () => {
        await clock.advance(5000);
        return await holds();
      }),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
      await api[Symbol.asyncDispose]();
    },
  };
}

type Run = Awaited<ReturnType<typeof started>>;
const isGone = ({ client }: Run, namespace: string, name: string): Promise<boolean> =>
  client.get(secrets, { name, namespace }).then(() => false, isNotFound);
const makeOwner = ({ client }: Run, namespace: string) =>
  client.create(configMaps, { metadata: { name: "o", namespace } });
const makeDependent = (
  { client }: Run,
  namespace: string,
  owner: Parameters<typeof ownerReference>[0],
) =>
  client.create(secrets, {
    metadata: { name: "d", namespace, ownerReferences: [ownerReference(owner, configMaps)] },
  });

for (const isOwnerWatched of [true, false]) {
  const when = isOwnerWatched ? "its owner is watched" : "its owner can't be listed";
  test(`garbage-collector keeps a dependent though another in a wrong namespace names its owner, and ${when}`, async () => {
    await using run = await started(...(isOwnerWatched ? [] : ["/api/v1/configmaps"]));
    const owner = await makeOwner(run, "a");
    await makeDependent(run, "z", owner);
    await makeDependent(run, "a", owner);
    run.start();
    await run.until("the end of the wrong dependent", () => isGone(run, "z", "d"));
    await run.clock.advance(60_000);
    assert.equal(await isGone(run, "a", "d"), false);
    const message = `ownerRef [v1/ConfigMap, namespace: z, name: o, uid: ${owner.metadata.uid}] does not exist in namespace "z"`;
    const event = `z/d Warning OwnerRefInvalidNamespace ${message}`;
    assert.deepEqual(run.events, isOwnerWatched ? [event] : []);
    await run.client.delete(configMaps, { name: "o", namespace: "a" });
    await run.until("the end of the right dependent", () => isGone(run, "a", "d"));
  });
}

test("garbage-collector keeps a cluster-scoped object whose owner is namespaced", async () => {
  await using run = await started();
  const owner = await makeOwner(run, "a");
  const metadata = { name: "pv", ownerReferences: [ownerReference(owner, configMaps)] };
  await run.client.create(persistentVolumes, {
    metadata,
    spec: {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      hostPath: { path: "/x" },
    },
  });
  const never = { metadata: { name: "never", uid: "never" } };
  await makeDependent(run, "a", never);
  run.start();
  await run.until("the end of an orphan", () => isGone(run, "a", "d"));
  await run.clock.advance(60_000);
  assert.equal((await run.client.get(persistentVolumes, { name: "pv" })).metadata.name, "pv");
});

/** Makes a definition of "<plural>.example.com". */
function define({ client }: Run, plural: string) {
  return client.create(customResourceDefinitions, {
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: "example.com",
      names: { plural, kind: plural },
      scope: "Namespaced",
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object" } },
        },
      ],
    },
  });
}

test("garbage-collector starts, and follows new resources, while others can't be listed", async () => {
  await using run = await started("/apis/apps/v1/deployments", "/apis/example.com/v1/broken");
  const never = { metadata: { name: "never", uid: "never" } };
  await makeDependent(run, "a", never);
  run.start();
  await run.until("the end of an orphan", () => isGone(run, "a", "d"));
  await define(run, "broken");
  await run.clock.advance(60_000);
  await define(run, "things");
  const kind = { apiVersion: "example.com/v1", kind: "things" };
  const resource = {
    ...{ group: "example.com", version: "v1", name: "things", kind: "things" },
    namespaced: true,
  } as DynamicResource;
  const ref = { name: "t", namespace: "a" };
  const ownerReferences = [ownerReference(never, configMaps)];
  const create = () =>
    run.client.create(resource, { ...kind, metadata: { ...ref, ownerReferences } });
  await run.until("a custom object", () =>
    create().then(
      () => true,
      (error: unknown) => !isNotFound(error),
    ),
  );
  await run.until("the end of the custom object", () =>
    run.client.get(resource, ref).then(() => false, isNotFound),
  );
});
