import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openChannel } from "#/std/grpc/grpc-channel.ts";
import { serviceClient } from "#/std/grpc/grpc-client.ts";
import { EtcdCluster } from "#/testing/etcd-cluster.ts";
import { until } from "#/testing/until.ts";
import { NoSpaceError, TooLargeError } from "../base/storage.ts";
import { WatchReader } from "../contract/under-test.contract.ts";
import { Maintenance } from "./etcd-services.ts";
import { EtcdStorage } from "./etcd-storage.ts";

const quotaBytes = 4 * 2 ** 20;
const key = (index: number): string => `/registry/full/${index}`;

/** An operator's actions when etcd is full. */
async function makeRoom(endpoint: string): Promise<void> {
  const channel = openChannel({ address: endpoint });
  const maintenance = serviceClient(Maintenance, channel);
  // etcd removes compacted values in the background, and only what is removed makes room.
  await until("defragmentation makes room", async () => {
    await maintenance.Defragment({});
    return (await maintenance.Status({})).dbSizeBytes < quotaBytes / 4;
  });
  const { header } = await maintenance.Status({});
  const alarm = { action: "DEACTIVATE", alarm: "NOSPACE", memberId: header?.memberId } as const;
  await maintenance.Alarm(alarm);
  channel.close();
}

describe("EtcdStorage", { timeout: 60_000 }, () => {
  test("survives a full quota", async () => {
    await using cluster = await EtcdCluster.start({
      flags: [`--quota-backend-bytes=${quotaBytes}`],
    });
    const { endpoints } = cluster;
    await using storage = await EtcdStorage.open({ endpoints });
    const after = await storage.revision();
    using watch = new WatchReader(storage, "/registry/full/", after);
    const value = new Uint8Array(500_000);
    let written = 0;
    const fill = async (): Promise<void> => {
      for (; written < 100; written++) await storage.put(key(written), value, { expect: "absent" });
    };
    await assert.rejects(fill(), NoSpaceError);
    const lease = storage.put(key(100), value, { expect: "absent", ttlSeconds: 10 });
    await assert.rejects(lease, NoSpaceError);
    assert.ok(written > 3, `${written} values of 0.5 MB went into 4 MiB`);

    // The write that exceeds the quota is refused before it is proposed, or applied and then
    // refused.
    const { entries } = await storage.range("/registry/full/", { keysOnly: true });
    const stored = entries.length;
    assert.ok(stored === written || stored === written + 1, `${stored} after ${written} writes`);
    await storage.health();
    assert.equal((await watch.take(stored)).length, stored);

    for (const entry of entries) await storage.delete(entry.key, { expect: "any" });
    assert.equal((await watch.take(stored)).length, stored);
    await storage.compact(await storage.revision());
    await makeRoom(endpoints[0] ?? "");
    const again = await storage.put(key(0), value, { expect: "absent" });
    assert.equal(again.done, true);
    assert.equal((await watch.take(1)).length, 1);
  });

  test("refuses only values that are too large for etcd", async () => {
    await using cluster = await EtcdCluster.start();
    await using storage = await EtcdStorage.open({ endpoints: cluster.endpoints });
    for (const size of [1.6 * 2 ** 20, 3 * 2 ** 20]) {
      const huge = storage.put(key(0), new Uint8Array(size), { expect: "absent" });
      await assert.rejects(huge, TooLargeError);
    }
    const large = await storage.put(key(0), new Uint8Array(1.4 * 2 ** 20), { expect: "absent" });
    assert.equal(large.done, true);
  });

  test("reads values in pages of bounded size", async () => {
    await using cluster = await EtcdCluster.start();
    await using storage = await EtcdStorage.open({ endpoints: cluster.endpoints });
    const sizes = Array.from({ length: 700 }, (_, index) => (index % 7 === 0 ? 600_000 : 10));
    for (const [index, size] of sizes.entries()) {
      const name = key(1000 + index);
      await storage.put(name, new Uint8Array(size), { expect: "absent" });
    }
    const { entries, remaining } = await storage.range("/registry/full/");
    assert.deepEqual(
      entries.map(({ value }) => value.length),
      sizes,
    );
    assert.equal(remaining, 0);
    const some = await storage.range("/registry/full/", { limit: 650, after: key(1009) });
    assert.deepEqual([some.entries.length, some.remaining], [650, 40]);
  });
});
