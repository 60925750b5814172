import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { EtcdCluster } from "#/testing/etcd-cluster.ts";
import { MemoryStorage } from "#/testing/memory-storage/memory-storage.ts";
import { openSnapshot } from "../base/snapshot.ts";
import type { Entry } from "../base/storage.ts";
import { text } from "../contract/under-test.contract.ts";
import { EtcdStorage } from "./etcd-storage.ts";

const readable = (entry: Entry): object => ({ ...entry, value: text(entry.value) });

test("EtcdStorage.snapshot() can be restored elsewhere, revisions and TTLs included", async () => {
  await using stack = new AsyncDisposableStack();
  const cluster = stack.use(await EtcdCluster.start());
  const storage = stack.use(await EtcdStorage.open({ endpoints: cluster.endpoints }));
  const directory = await mkdtemp(join(tmpdir(), "k8ts-snapshot-"));
  stack.defer(() => rm(directory, { recursive: true }));
  const file = join(directory, "snapshot");

  for (let index = 0; index < 1200; index++) {
    const value = Buffer.from(`value ${index}`);
    await storage.put(`/registry/a/${index}`, value, { expect: "absent" });
  }
  const event = { expect: "absent", ttlSeconds: 3600 } as const;
  await storage.put("/registry/events/a", Buffer.from("event"), event);
  const before = await storage.range("/registry/");
  const info = await storage.snapshot(file);
  assert.deepEqual([info.revision, info.keys], [before.revision, before.entries.length]);

  const restored = stack.use(await MemoryStorage.restore(file));
  const { entries } = await restored.range("/registry/");
  assert.deepEqual(entries.map(readable), before.entries.map(readable));
  const ttls = await Array.fromAsync((await openSnapshot(file)).entries());
  const limited = ttls.filter(({ ttlRemainingMs }) => ttlRemainingMs !== undefined);
  assert.deepEqual(
    limited.map(({ key }) => key),
    ["/registry/events/a"],
  );
  const remainingMs = limited[0]?.ttlRemainingMs ?? 0;
  assert.ok(remainingMs > 3_600_000 && remainingMs <= 3_660_000, `${remainingMs} ms`);
});
