import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { open } from "lmdb";
import { StorageError } from "../base/storage.ts";
import { recordSize, writeRecord } from "./record.ts";
import { Tree, type TreeChange } from "./tree.ts";
import { storedVersion, type Version } from "./version.ts";

function version(modRevision: number): Version {
  const value = Buffer.from(`value ${modRevision}`);
  const fields = { key: "/a", modRevision, createRevision: 1, expiresAtMs: 0 };
  const record = writeRecord(Buffer.alloc(recordSize(fields.key, value)), 0, fields, value);
  return { ...storedVersion(fields), pending: { value, record } };
}

test("Tree.commit() throws when LMDB refuses to append a record, and can be retried", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "k8ts-tree-"));
  t.after(() => rm(directory, { recursive: true }));
  await using tree = await Tree.open(directory);
  const change = (revision: number): TreeChange => ({
    put: [version(revision)],
    drop: [],
    state: { ...tree.state, revision },
  });
  await tree.commit(change(2));
  const other = open({ path: directory, pageSize: 8192, noSubdir: false, maxDbs: 2 });
  const versions = other.openDB<Buffer, number>("versions", { encoding: "binary" });
  await versions.put(9, version(9).pending?.record ?? Buffer.alloc(0));
  await assert.rejects(tree.commit(change(5)), StorageError);
  assert.equal(tree.state.revision, 2);
  await tree.commit(change(5));
  assert.equal(tree.read(5).toString(), "value 5");
  assert.deepEqual([tree.state.revision, tree.state.records], [5, 2]);
  await other.close();
});
