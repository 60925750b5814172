import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  AmbiguousWriteError,
  type Storage,
  type WatchBatch,
  type WatchOptions,
} from "#/storage/base/storage.ts";
import { EtcdStorage } from "#/storage/etcd/etcd-storage.ts";
import { EtcdCluster } from "#/testing/etcd-cluster.ts";
import { type Answer, startApiServer, type TestApiServer } from "#/testing/start-api-server.ts";

/** An etcd with watches that can be held back, and with counted requests. */
class HeldStorage {
  readonly storage: Storage;
  asked: string[] = [];
  /** Replaces the outcome of the next write once it is done. */
  lost: Error | undefined;
  #held: PromiseWithResolvers<void> | undefined;

  constructor(etcd: Storage) {
    const note = <A extends unknown[], R>(name: string, call: (...args: A) => Promise<R>) => {
      return async (...args: A): Promise<R> => {
        this.asked.push(name);
        const result = await call(...args);
        // A write is answered when its event has arrived.
        if (name === "put" || name === "delete") this.release();
        const { lost } = this;
        this.lost = undefined;
        if (lost) throw lost;
        return result;
      };
    };
    this.storage = {
      exclusive: etcd.exclusive,
      revision: note("revision", () => etcd.revision()),
      get: note("get", (key, options) => etcd.get(key, options)),
      range: (prefix, options) => etcd.range(prefix, options),
      put: note("put", (key, value, options) => etcd.put(key, value, options)),
      delete: note("delete", (key, options) => etcd.delete(key, options)),
      watch: (prefix, options) => this.#watch(etcd, prefix, options),
      requestProgress: (revision) => etcd.requestProgress(revision),
      compact: (revision) => etcd.compact(revision),
      health: () => etcd.health(),
      snapshot: (file) => etcd.snapshot(file),
      sizeBytes: () => etcd.sizeBytes(),
      [Symbol.asyncDispose]: () => etcd[Symbol.asyncDispose](),
    };
  }

  hold(): void {
    this.asked = [];
    this.#held = Promise.withResolvers();
  }

  release(): void {
    this.#held?.resolve();
  }

  async *#watch(etcd: Storage, prefix: string, options: WatchOptions): AsyncGenerator<WatchBatch> {
    for await (const batch of etcd.watch(prefix, options)) {
      await this.#held?.promise;
      yield batch;
    }
  }
}

const configMaps = "/api/v1/namespaces/default/configmaps";
const merge = { headers: { "content-type": "application/merge-patch+json" } };

describe("settleWrite on etcd, with another API server at work", () => {
  let etcd: EtcdCluster;
  let other: TestApiServer;
  let server: TestApiServer;
  let held: HeldStorage;

  before(async () => {
    etcd = await EtcdCluster.start();
    const open = () => EtcdStorage.open({ endpoints: etcd.endpoints, compactIntervalMs: 0 });
    other = await startApiServer({ storage: await open() });
    held = new HeldStorage(await open());
    server = await startApiServer({ storage: held.storage });
    await other.call("POST", "/api/v1/namespaces", { metadata: { name: "default" } });
  });

  after(async () => {
    held.release();
    await server[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
    await etcd[Symbol.asyncDispose]();
  });

  const post = (object: object) => other.call("POST", configMaps, object);
  const patch = (name: string, change: object, query = "", by = server): Promise<Answer> =>
    by.call("PATCH", `${configMaps}/${name}${query}`, change, merge);

  interface Case {
    readonly title: string;
    readonly object?: { readonly data?: object; readonly immutable?: boolean };
    readonly finalizers?: readonly string[];
    /** What the other server writes, unseen by this server's cache. */
    readonly meanwhile?: (name: string) => Promise<Answer | undefined>;
    readonly call: (name: string, meanwhile: Answer | undefined, first: Answer) => Promise<Answer>;
    readonly status: number;
    readonly asked: readonly string[];
    readonly data?: object;
  }

  const remove = (name: string) => other.call("DELETE", `${configMaps}/${name}`);
  const again = async (name: string, object: object = {}) => {
    await remove(name);
    return post({ metadata: { name }, ...object });
  };
  const put = (name: string, resourceVersion: string) =>
    server.call("PUT", `${configMaps}/${name}`, {
      metadata: { name, resourceVersion },
      data: { put: "1" },
    });
  const version = (answer: Answer | undefined): string => answer?.json.metadata.resourceVersion;

  const cases: Case[] = [
    {
      title: "a patch of the cached version is one write",
      call: (name) => patch(name, { data: { b: "1" } }),
      status: 200,
      asked: ["put"],
      data: { a: "1", b: "1" },
    },
    {
      title: "a delete of the cached version is one write",
      call: (name) => server.call("DELETE", `${configMaps}/${name}`),
      status: 200,
      asked: ["delete"],
    },
    {
      title: "a patch applies to the version that the other server wrote",
      meanwhile: (name) => patch(name, { data: { c: "1" } }, "", other),
      call: (name) => patch(name, { data: { b: "1" } }),
      status: 200,
      asked: ["put", "put"],
      data: { a: "1", b: "1", c: "1" },
    },
    {
      title: "a patch that changes nothing in the cached version undoes the other server's write",
      meanwhile: (name) => patch(name, { data: { a: "2" } }, "", other),
      call: (name) => patch(name, { data: { a: "1" } }),
      status: 200,
      asked: ["get", "put", "put"],
      data: { a: "1" },
    },
    {
      title: "a patch that changes nothing writes nothing",
      call: (name) => patch(name, { data: { a: "1" } }),
      status: 200,
      asked: ["get"],
      data: { a: "1" },
    },
    {
      title: "a patch of an object that is not in the cache yet",
      meanwhile: (name) => post({ metadata: { name: `${name}-new` }, data: { d: "1" } }),
      call: (name) => patch(`${name}-new`, { data: { b: "1" } }),
      status: 200,
      asked: ["get", "put"],
      data: { b: "1", d: "1" },
    },
    {
      title: "a patch of an object that the other server has deleted",
      meanwhile: remove,
      call: (name) => patch(name, { data: { b: "1" } }),
      status: 404,
      asked: ["put"],
    },
    {
      title: "a patch that is valid for the stored version but not for the cached one",
      object: { immutable: true },
      meanwhile: (name) => again(name, { data: { d: "1" } }),
      call: (name) => patch(name, { data: { b: "1" } }),
      status: 200,
      asked: ["get", "put"],
      data: { b: "1", d: "1" },
    },
    {
      title: "a patch that is invalid",
      object: { immutable: true, data: {} },
      call: (name) => patch(name, { data: { b: "1" } }),
      status: 422,
      asked: ["get"],
    },
    {
      title: "a dry run sees the other server's write",
      meanwhile: (name) => patch(name, { data: { c: "1" } }, "", other),
      call: (name) => patch(name, { data: { b: "1" } }, "?dryRun=All"),
      status: 200,
      asked: ["get"],
      data: { a: "1", b: "1", c: "1" },
    },
    {
      title: "an update of a version that is not in the cache yet",
      meanwhile: (name) => patch(name, { data: { c: "1" } }, "", other),
      call: (name, meanwhile) => put(name, version(meanwhile)),
      status: 200,
      asked: ["get", "put"],
      data: { put: "1" },
    },
    {
      title: "an update of a version that the other server has replaced",
      meanwhile: (name) => patch(name, { data: { c: "1" } }, "", other),
      call: (name, _, first) => put(name, version(first)),
      status: 409,
      asked: ["put"],
    },
    {
      title: "an update of a version that was replaced long ago",
      call: (name) => put(name, "1"),
      status: 409,
      asked: ["get"],
    },
    {
      title: "a delete of an object that the other server has deleted",
      meanwhile: remove,
      call: (name) => server.call("DELETE", `${configMaps}/${name}`),
      status: 404,
      asked: ["delete"],
    },
    {
      title: "a delete with the uid of an object that is not in the cache yet",
      meanwhile: (name) => again(name),
      call: (name, meanwhile) =>
        server.call("DELETE", `${configMaps}/${name}`, {
          preconditions: { uid: meanwhile?.json.metadata.uid },
        }),
      status: 200,
      asked: ["get", "delete"],
    },
    {
      title: "a delete of an object that is no longer being deleted",
      finalizers: ["example.com/wait"],
      meanwhile: async (name) => {
        await patch(name, { metadata: { finalizers: [] } }, "", other);
        return post({ metadata: { name } });
      },
      call: (name) => server.call("DELETE", `${configMaps}/${name}`),
      status: 200,
      asked: ["get", "delete"],
    },
  ];

  for (const [index, test] of cases.entries()) {
    it(test.title, async () => {
      const name = `case-${index}`;
      const { finalizers = [] } = test;
      const object = { metadata: { name, finalizers }, data: { a: "1" }, ...test.object };
      const first = await post(object);
      if (finalizers.length > 0) await remove(name);
      assert.equal((await server.call("GET", `${configMaps}/${name}`)).status, 200);
      held.hold();
      const meanwhile = await test.meanwhile?.(name);
      const answer = await test.call(name, meanwhile, first);
      held.release();
      assert.equal(answer.status, test.status, answer.text);
      assert.deepEqual(held.asked, test.asked);
      if (test.data) assert.deepEqual(answer.json.data, test.data);
      const get = `${configMaps}/${answer.json.metadata.name ?? name}`;
      const [ours, theirs] = [await server.call("GET", get), await other.call("GET", get)];
      assert.equal(ours.text, theirs.text);
    });
  }

  it("a write with an unknown outcome is not retried", async () => {
    await server.call("POST", configMaps, { metadata: { name: "unknown" } });
    held.hold();
    held.lost = new AmbiguousWriteError("the answer was lost");
    const answer = await patch("unknown", { data: { a: "1" } });
    assert.equal(answer.status, 500);
    assert.deepEqual(held.asked, ["put"]);
  });
});
