import assert from "node:assert/strict";
import { test } from "node:test";
import type { Resource } from "#/api/base/resource.ts";
import { namespaces, services } from "#/api/core/v1.ts";
import { endpointSlices } from "#/api/discovery/v1.ts";
import { Client } from "#/client/client.ts";
import { Informers } from "#/client/informers/informers.ts";
import type { ApiRequest, Transport, WatchEvent } from "#/client/transport/transport.ts";
import { nullObjects } from "#/testing/null-objects.ts";
import { until } from "#/testing/until.ts";
import { ClusterZone } from "./cluster-zone.ts";
import { informerState } from "./informer-state.ts";
import { recordTypes } from "./wire/record.ts";

const watched: readonly Resource<unknown>[] = [services, endpointSlices, namespaces];

test("ClusterZone reads null as absent in every list, map and time", async () => {
  const objects = new Map<string, object[]>(watched.map(({ name }) => [name, []]));
  let count = 0;
  for (const { resource, object } of nullObjects()) {
    const list = objects.get(resource.name);
    if (!list || !watched.some(({ group }) => group === resource.group)) continue;
    const name = `o${count++}`;
    const labels = { "kubernetes.io/service-name": `o${count % 100}` };
    object["metadata"] = {
      name,
      uid: name,
      labels,
      ...(resource.namespaced ? { namespace: "n" } : {}),
    };
    list.push(object);
  }
  objects.get("namespaces")?.push({ metadata: { name: "n", uid: "n" } });
  const stop = new AbortController();
  const informers = new Informers(new Client(serving(objects)), stop.signal);
  const state = informerState(informers);
  await until("objects", () => state.synced);
  const zone = new ClusterZone("cluster.local", state, { ttl: 5, serial: 1 });
  for (let n = 0; n < count; n++) {
    for (const type of Object.values(recordTypes)) {
      for (const name of [`o${n}.n.svc`, `_portNameValue._tcp.o${n}.n.svc`, `x.o${n}.n.svc`]) {
        assert.doesNotThrow(() => zone.answer(`${name}.cluster.local`, type), name);
      }
    }
  }
  stop.abort();
});

/** A server with only these objects. */
function serving(objects: ReadonlyMap<string, readonly object[]>): Transport {
  const none = () => Promise.reject(new Error("not here"));
  return {
    request: none,
    stream: none,
    upgrade: none,
    async *watch({ path, signal }: ApiRequest): AsyncGenerator<WatchEvent<unknown>> {
      const list = objects.get(path.split("/").at(-1) ?? "") ?? [];
      for (const object of list) yield { type: "ADDED", object };
      const annotations = { "k8s.io/initial-events-end": "true" };
      yield { type: "BOOKMARK", object: { metadata: { resourceVersion: "1", annotations } } };
      await new Promise((resolve) => signal?.addEventListener("abort", resolve, { once: true }));
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
