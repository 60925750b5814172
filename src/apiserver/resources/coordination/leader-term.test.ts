import assert from "node:assert/strict";
import { test } from "node:test";
import { type Lease, leases } from "#/api/coordination/v1.ts";
import { configMaps } from "#/api/core/v1.ts";
import { Client } from "#/client/client.ts";
import { fencedTransport } from "#/client/fenced-connect.ts";
import { type LeaderTerm, termOf } from "#/client/leader-term.ts";
import { AmbiguousWriteError, type Storage } from "#/storage/base/storage.ts";
import { MemoryStorage } from "#/testing/memory-storage/memory-storage.ts";
import { startApiServer, type TestApiServer } from "#/testing/start-api-server.ts";

const ref = { namespace: "kube-system", name: "leader" };
const metadata = { namespace: "default", name: "a" };

type Put = Storage["put"];

/** A store whose next write of a ConfigMap goes another way. */
class TestStorage extends MemoryStorage {
  next: ((put: () => ReturnType<Put>) => ReturnType<Put>) | undefined;

  override async put(...args: Parameters<Put>): ReturnType<Put> {
    const put = () => super.put(...args);
    const { next } = this;
    if (!next || !args[0].startsWith("/registry/configmaps/")) return await put();
    this.next = undefined;
    return await next(put);
  }
}

interface Terms {
  readonly api: TestApiServer;
  readonly storage: TestStorage;
  readonly term: LeaderTerm;
  /** A client whose writes are done in the term only. */
  readonly client: Client;
  /** Writes the lease: a renewal, or another holder. */
  readonly hold: (holderIdentity: string, leaseTransitions: number) => Promise<Lease>;
}

async function startTerm(): Promise<Terms & AsyncDisposable> {
  const storage = new TestStorage();
  const api = await startApiServer({ storage });
  const plain = api.client();
  let renewals = 0;
  const hold: Terms["hold"] = async (holderIdentity, leaseTransitions) => {
    const held = await plain.get(leases, ref);
    const renewTime = `2025-01-01T00:00:00.${String(++renewals).padStart(6, "0")}Z`;
    return await plain.update(leases, {
      ...held,
      spec: { holderIdentity, leaseTransitions, renewTime },
    });
  };
  await plain.create(leases, { metadata: ref, spec: {} });
  const term = termOf(await hold("one", 1));
  assert.ok(term);
  const fence = { signal: new AbortController().signal, check: () => undefined, term };
  const client = new Client(fencedTransport(api.transport(), fence));
  return {
    api,
    storage,
    term,
    client,
    hold,
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  };
}

const over = /leases.coordination.k8s.io "leader": the term in which the write was sent has ended/;

test("writes of a leader are done in its term, also after renewals", async () => {
  await using terms = await startTerm();
  const { client, hold } = terms;
  const made = await client.create(configMaps, { metadata, data: { a: "1" } });
  await hold("one", 1);
  await client.update(configMaps, { ...made, data: { a: "2" } });
  await hold("one", 1);
  await client.delete(configMaps, metadata);
});

const ends = [
  { name: "another one leads", end: ({ hold }: Terms) => hold("two", 2) },
  { name: "it was released", end: ({ hold }: Terms) => hold("", 1) },
  { name: "the same one leads again", end: ({ hold }: Terms) => hold("one", 3) },
  { name: "the lease is gone", end: ({ api }: Terms) => api.client().delete(leases, ref) },
];

for (const { name, end } of ends) {
  test(`a leader's write that the store carries out later is refused, as ${name}`, async () => {
    await using terms = await startTerm();
    const { client, storage, api } = terms;
    const made = await client.create(configMaps, { metadata, data: { a: "1" } });
    const late = async (put: () => ReturnType<Put>): ReturnType<Put> => {
      await end(terms);
      return await put();
    };
    storage.next = late;
    await assert.rejects(client.update(configMaps, { ...made, data: { a: "2" } }), over);
    await assert.rejects(client.create(configMaps, { metadata: { ...metadata, name: "b" } }), over);
    await assert.rejects(client.delete(configMaps, metadata), over);
    const { items } = await api.client().list(configMaps);
    assert.deepEqual(
      items.map(({ data }) => data),
      [{ a: "1" }],
    );
  });
}

test("a renewal between a write and its arrival delays it, and does not refuse it", async () => {
  await using terms = await startTerm();
  const { client, storage, hold } = terms;
  storage.next = async (put) => {
    await hold("one", 1);
    return await put();
  };
  await client.create(configMaps, { metadata });
});

const lost = new AmbiguousWriteError("the answer was lost");

test("a leader's create whose answer was lost is reported as it ended", async () => {
  await using terms = await startTerm();
  const { client, storage, api } = terms;
  storage.next = async (put) => {
    assert.ok((await put()).done);
    // Others change it before the server can look.
    const made = await api.client().get(configMaps, metadata);
    await api.client().update(configMaps, { ...made, data: { a: "changed" } });
    throw lost;
  };
  const made = await client.create(configMaps, { metadata, data: { a: "1" } });
  const { metadata: now, data } = await api.client().get(configMaps, metadata);
  assert.equal(now?.uid, made.metadata?.uid);
  assert.deepEqual(data, { a: "changed" });
});

test("a leader's write whose answer was lost is never done later, once there is an answer", async () => {
  await using terms = await startTerm();
  const { client, storage, api } = terms;
  let arrives: (() => ReturnType<Put>) | undefined;
  storage.next = async (put) => {
    arrives = put;
    throw lost;
  };
  // Sent again, by another name as its generated one is another then.
  const made = await client.create(configMaps, {
    metadata: { namespace: "default", generateName: "pod-" },
  });
  assert.ok(arrives);
  await client.delete(configMaps, { namespace: "default", name: made.metadata?.name ?? "" });
  const result = await arrives();
  assert.equal(result.done, false);
  assert.deepEqual((await api.client().list(configMaps)).items, []);
});

test("an update and a delete whose answers were lost are reported as they ended", async () => {
  await using terms = await startTerm();
  const { client, storage } = terms;
  const made = await client.create(configMaps, { metadata, data: { a: "1" } });
  storage.next = async (put) => {
    await put();
    throw lost;
  };
  const updated = await client.update(configMaps, { ...made, data: { a: "2" } });
  assert.deepEqual(updated.data, { a: "2" });
  storage.next = async () => {
    throw lost;
  };
  const again = await client.update(configMaps, { ...updated, data: { a: "3" } });
  assert.deepEqual(again.data, { a: "3" });
});

test("a header that is no term is refused", async () => {
  await using terms = await startTerm();
  const headers = { "k8ts-leader-term": "x" };
  const body = { metadata: { name: "a" } };
  const path = "/api/v1/namespaces/default/configmaps";
  const { status } = await terms.api.call("POST", path, body, { headers });
  assert.equal(status, 400);
});
