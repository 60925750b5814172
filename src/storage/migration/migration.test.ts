import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { EtcdMember } from "#/testing/etcd-cluster.ts";
import { freePort } from "#/testing/free-port.ts";
import { until } from "#/testing/until.ts";
import { type Storage, StorageError, type WatchEvent } from "../base/storage.ts";
import { EtcdStorage } from "../etcd/etcd-storage.ts";
import { LmdbStorage } from "../lmdb/lmdb-storage.ts";
import { compareStores } from "./compare-stores.ts";
import { catchUpEmbedded, copyToEmbedded } from "./to-embedded.ts";
import { catchUpEtcd, copyToMember, settleMember } from "./to-etcd.ts";

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "k8ts-migration-"));
});
after(() => rm(folder, { recursive: true, force: true }));

/** A member of etcd that others may join; started by the test. */
class Member implements AsyncDisposable {
  readonly folder: string;
  readonly client: string;
  readonly peer: string;
  readonly name: string;
  #running: EtcdMember | undefined;

  private constructor(name: string, ports: readonly number[]) {
    this.name = name;
    this.folder = join(folder, name);
    this.client = `http://127.0.0.1:${ports[0]}`;
    this.peer = `http://127.0.0.1:${ports[1]}`;
  }

  static async of(name: string): Promise<Member> {
    return new Member(name, [await freePort(), await freePort()]);
  }

  async start(more: readonly string[] = [], others: readonly Member[] = []): Promise<void> {
    const all = [...others, this].map(({ name, peer }) => `${name}=${peer}`);
    this.#running = new EtcdMember(this.client, process.env["K8TS_ETCD"] ?? "/usr/bin/etcd", [
      `--name=${this.name}`,
      `--data-dir=${this.folder}`,
      `--listen-client-urls=${this.client}`,
      `--advertise-client-urls=${this.client}`,
      `--listen-peer-urls=${this.peer}`,
      `--initial-advertise-peer-urls=${this.peer}`,
      `--initial-cluster=${all.join(",")}`,
      `--initial-cluster-state=${others.length > 0 ? "existing" : "new"}`,
      "--logger=zap",
      "--log-level=error",
      ...more,
    ]);
    await this.#running.start();
  }

  async kill(): Promise<void> {
    await this.#running?.kill();
  }

  open(): Promise<EtcdStorage> {
    return EtcdStorage.open({ endpoints: [this.client], compactIntervalMs: 0 });
  }

  /** An empty member with a snapshot of its log, stopped. */
  async settle(): Promise<void> {
    await this.start(["--snapshot-count=1"]);
    {
      await using etcd = await this.open();
      await settleMember(etcd, this.folder);
    }
    await this.kill();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }
}

const bytes = (text: string): Buffer => Buffer.from(text);

/** Writes of every kind: keys that are written again, are deleted, return, expire, and one that takes several pages. */
async function writeSome(storage: Storage, round: string): Promise<void> {
  for (let index = 0; index < 400; index++) {
    const key = `/registry/pods/${index % 150}`;
    await storage.put(key, bytes(`${round} ${index} ${"x".repeat(index * 7)}`), { expect: "any" });
    if (index % 5 === 0)
      await storage.delete(`/registry/pods/${(index * 3) % 150}`, { expect: "any" });
  }
  const ttlSeconds = 3600;
  await storage.put(`/registry/events/${round}`, bytes("e"), { expect: "absent", ttlSeconds });
  await storage.put("/registry/large", Buffer.alloc(300_000, round), { expect: "any" });
}

/** Everything that a client with a revision sees when its watch resumes. */
async function eventsAfter(storage: Storage, revision: number): Promise<string[]> {
  const until = await storage.revision();
  const found: string[] = [];
  const stop = new AbortController();
  const textOf = (event: WatchEvent): string =>
    event.type === "put"
      ? `${event.entry.modRevision} put ${event.entry.key} ${event.entry.createRevision} ${Buffer.from(event.entry.value)}`
      : `${event.revision} delete ${event.key}`;
  for await (const batch of storage.watch("", { after: revision, signal: stop.signal })) {
    found.push(...batch.events.map(textOf));
    if (batch.revision >= until) break;
  }
  stop.abort();
  return found;
}

test("a store that moves to etcd keeps each revision, its history and its leases; another member gets all of it", async () => {
  const directory = join(folder, "to-etcd");
  await using member = await Member.of("first");
  {
    await using store = await LmdbStorage.open({ directory });
    await writeSome(store, "a");
    await store.compact((await store.revision()) - 100);
    await writeSome(store, "b");
  }
  await member.settle();
  const copied = await copyToMember(directory, member.folder);
  {
    await using store = await LmdbStorage.open({ directory });
    await writeSome(store, "c");
  }
  await member.start();
  await using etcd = await member.open();
  assert.equal(await etcd.revision(), copied);
  assert.ok((await catchUpEtcd(directory, etcd)) > 400);
  assert.equal(await catchUpEtcd(directory, etcd), 0);
  assert.ok((await compareStores(directory, etcd)) > 100);

  const second = await Member.of("second");
  await using _second = second;
  await addMember(member, second);
  await second.start([], [member]);
  await using other = await second.open();
  await using store = await LmdbStorage.open({ directory });
  const expected = await eventsAfter(store, copied - 500);
  assert.equal(expected.length, (await store.revision()) - copied + 500);
  assert.deepEqual(await eventsAfter(etcd, copied - 500), expected);
  assert.deepEqual(await eventsAfter(other, copied - 500), expected);
  const readable = async (from: Storage) =>
    (await from.range("/registry/")).entries.map((entry) => ({
      ...entry,
      value: `${Buffer.from(entry.value)}`,
    }));
  assert.deepEqual(await readable(other), await readable(store));
  const written = await etcd.put("/registry/new", bytes("n"), { expect: "absent" });
  assert.equal(written.revision, (await store.revision()) + 1);
});

test("a store that returns from etcd keeps each revision, its history and times of expiry", async () => {
  const directory = join(folder, "to-embedded");
  await using member = await Member.of("third");
  await member.start();
  await using etcd = await member.open();
  await writeSome(etcd, "a");
  const oldest = (await etcd.revision()) - 100;
  await etcd.compact(oldest);
  await writeSome(etcd, "b");
  const copied = await copyToEmbedded(etcd, directory);
  await writeSome(etcd, "c");
  assert.equal(await catchUpEmbedded(etcd, directory), (await etcd.revision()) - copied);
  assert.equal(await catchUpEmbedded(etcd, directory), 0);
  assert.ok((await compareStores(directory, etcd)) > 100);
  await using store = await LmdbStorage.open({ directory });
  assert.deepEqual(await eventsAfter(store, oldest), await eventsAfter(etcd, oldest));
  const written = await store.put("/registry/new", bytes("n"), { expect: "absent" });
  assert.equal(written.revision, (await etcd.revision()) + 1);
});

test("catchUpEtcd() and compareStores() refuse an etcd that others write to", async () => {
  const directory = join(folder, "others");
  await using member = await Member.of("fourth");
  {
    await using store = await LmdbStorage.open({ directory });
    await store.put("/registry/a", bytes("a"), { expect: "any" });
  }
  await member.settle();
  await copyToMember(directory, member.folder);
  await member.start();
  await using etcd = await member.open();
  await etcd.put("/registry/foreign", bytes("f"), { expect: "any" });
  await assert.rejects(catchUpEtcd(directory, etcd), StorageError);
  await etcd.put("/registry/a", bytes("b"), { expect: "any" });
  {
    await using store = await LmdbStorage.open({ directory });
    for (const key of ["x", "y"])
      await store.put(`/registry/${key}`, bytes(key), { expect: "any" });
  }
  await assert.rejects(compareStores(directory, etcd), /the stores differ at revision/);
});

/** Adds a member that votes, as `etcdctl member add` does, over the gateway for JSON. */
async function addMember(first: Member, other: Member): Promise<void> {
  const url = `${first.client}/v3/cluster/member/add`;
  await until("the member is added", async () => {
    const body = JSON.stringify({ peerURLs: [other.peer] });
    const { ok } = await fetch(url, { method: "POST", body });
    return ok;
  });
}
