import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { systemClock } from "#/std/time/clock.ts";
import { EtcdCluster } from "#/testing/etcd-cluster.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { TcpProxy } from "#/testing/tcp-proxy.ts";
import { until } from "#/testing/until.ts";
import { CompactedError } from "../base/storage.ts";
import { eventRevision } from "../base/watch-event.ts";
import { put, WatchReader } from "../contract/under-test.contract.ts";
import { compactOnce, compactRevisionKey } from "./compact-once.ts";
import { Members } from "./etcd-members.ts";
import { EtcdStorage } from "./etcd-storage.ts";

describe("compaction of etcd", { timeout: 60_000 }, () => {
  let cluster: EtcdCluster;
  let storage: EtcdStorage;
  before(async () => {
    cluster = await EtcdCluster.start();
    storage = await EtcdStorage.open({ endpoints: cluster.endpoints, compactIntervalMs: 0 });
  });
  after(async () => {
    await storage[Symbol.asyncDispose]();
    await cluster[Symbol.asyncDispose]();
  });

  const isKept = (revision: number): Promise<boolean> =>
    storage.get("/registry/a", { revision }).then(
      () => true,
      (error: unknown) => {
        assert.ok(error instanceof CompactedError);
        assert.ok(error.compactRevision > revision);
        return false;
      },
    );

  test("is done by one of two compactors, up to the revision of the last interval", async () => {
    const members = await Members.open({ endpoints: cluster.endpoints, clock: systemClock });
    const start = { version: 0, revision: 0 };
    const first = await put(storage, "/registry/a", "1");
    const winner = await compactOnce(members, start);
    const second = await put(storage, "/registry/a", "2");
    const loser = await compactOnce(members, start);
    assert.deepEqual([winner.version, loser.version], [1, 1]);
    assert.ok(winner.revision < loser.revision);
    assert.ok(await isKept(first), "nothing is compacted on the first turn");

    const again = await compactOnce(members, winner);
    assert.equal(again.version, 2);
    assert.deepEqual([await isKept(first), await isKept(second)], [false, true]);
    const { entry } = await storage.get(compactRevisionKey);
    assert.equal(Buffer.from(entry?.value ?? []).toString(), String(winner.revision));

    const outrun = await compactOnce(members, loser);
    assert.equal(outrun.version, 2);
    assert.ok(await isKept(second), "who comes late does nothing");
    const takeover = await compactOnce(members, outrun);
    assert.equal(takeover.version, 3);
    assert.equal(await isKept(second), false);
    await members.close();
  });

  test("happens at each interval", async () => {
    const clock = new FakeClock();
    const { endpoints } = cluster;
    await using compacting = await EtcdStorage.open({ endpoints, clock, compactIntervalMs: 1000 });
    const old = await put(compacting, "/registry/a", "1");
    for (let turn = 0; turn < 4; turn++) {
      await clock.advance(1000);
      await until("the next timer", () => clock.pendingTimers > 0);
    }
    assert.equal(await isKept(old), false);
  });

  test("ends a disconnected watch that missed events", async () => {
    await using proxy = await TcpProxy.start(new URL(cluster.endpoints[0] ?? ""));
    const endpoints = [`http://127.0.0.1:${proxy.port}`];
    await using distant = await EtcdStorage.open({ endpoints, compactIntervalMs: 0 });
    using watch = new WatchReader(distant, "/registry/", await distant.revision());
    await put(storage, "/registry/a", "1");
    await watch.take(1);
    const next = watch.next();
    proxy.cut();
    for (const value of ["2", "3"]) await put(storage, "/registry/a", value);
    await storage.compact(await storage.revision());
    proxy.mend();
    await assert.rejects(next, CompactedError);
  });

  test("keeps a disconnected watch that missed nothing", async () => {
    await using proxy = await TcpProxy.start(new URL(cluster.endpoints[0] ?? ""));
    const endpoints = [`http://127.0.0.1:${proxy.port}`];
    await using distant = await EtcdStorage.open({ endpoints, compactIntervalMs: 0 });
    using watch = new WatchReader(distant, "/registry/", await distant.revision());
    await put(storage, "/registry/a", "1");
    const [seen] = await watch.take(1);
    assert.ok(seen);
    proxy.cut();
    await storage.compact(eventRevision(seen));
    await put(storage, "/registry/a", "2");
    proxy.mend();
    assert.equal((await watch.take(1)).length, 1);
  });

  test("delivers everything to a slow reader, or an error", async () => {
    const after = await storage.revision();
    using watch = new WatchReader(storage, "/registry/slow/", after);
    await put(storage, "/registry/slow/a", "0");
    await watch.take(1);
    const value = "x".repeat(2_000);
    for (let round = 0; round < 16; round++) {
      const writes = Array.from({ length: 256 }, (_, index) =>
        put(storage, `/registry/slow/${index}`, value),
      );
      await Promise.all(writes);
    }
    const last = await storage.revision();
    await storage.compact(last);
    let position = after + 1;
    try {
      while (position < last) {
        const batch = await watch.next();
        assert.ok(batch);
        for (const event of batch.events) assert.equal(eventRevision(event), ++position);
      }
    } catch (error) {
      assert.ok(error instanceof CompactedError, `${error}`);
    }
  });
});
