import assert from "node:assert/strict";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { rename } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { openArchive } from "#/cluster/backup/archive.ts";
import { storeFolder } from "#/cluster/backup/collect.ts";
import { folderTarget } from "#/cluster/backup/folder-target.ts";
import { makeSnapshot } from "#/cluster/backup/make-snapshot.ts";
import { prepareRestore, restoreOperation } from "#/cluster/backup/restore.ts";
import { findOperation, runOperation } from "#/cluster/base/operation.ts";
import { type ClusterPaths, clusterPaths } from "#/cluster/base/paths.ts";
import { type ClusterSettings, getSettings } from "#/cluster/base/settings.ts";
import { LmdbStorage } from "#/storage/lmdb/lmdb-storage.ts";

const root = mkdtempSync(join(tmpdir(), "k8ts-restore-"));
after(() => rmSync(root, { recursive: true }));

/** A cluster that does not run, with one key in its store; its other files have the same text. */
async function makeCluster(name: string, value: string): Promise<ClusterPaths> {
  const paths = clusterPaths(join(root, name));
  for (const file of ["pki/ca.key", `config/kubelet.d/${value}.conf`, "access/admin.kubeconfig"]) {
    mkdirSync(join(paths.folder, file, ".."), { recursive: true });
    writeFileSync(join(paths.folder, file), value, { mode: 0o600 });
  }
  const settings = { name, role: "server", nodeName: value, isNodeIpFixed: true };
  writeFileSync(paths.settings, JSON.stringify(settings));
  await using storage = await LmdbStorage.open({ directory: storeFolder(paths) });
  await storage.put("/registry/a", Buffer.from(value), { expect: "absent" });
  return paths;
}

/** Everything that a restore replaces. */
async function stateOf(paths: ClusterPaths) {
  const text = (file: string): string => readFileSync(join(paths.folder, file), "utf8");
  await using storage = await LmdbStorage.open({ directory: storeFolder(paths) });
  const { entries } = await storage.range("/registry/");
  return {
    store: entries.map(({ value }) => Buffer.from(value).toString()).join(),
    key: text("pki/ca.key"),
    node: getSettings(paths).nodeName,
    dropIns: ["old", "new"].filter((name) =>
      existsSync(join(paths.folder, `config/kubelet.d/${name}.conf`)),
    ),
  };
}

const stateWith = (value: string) => ({ store: value, key: value, node: value, dropIns: [value] });

async function snapshotOf(paths: ClusterPaths): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  await makeSnapshot(paths, getSettings(paths), {
    now: 0,
    passphrase: undefined,
    async write(content) {
      for await (const part of content) parts.push(part);
      return 0;
    },
  });
  return Buffer.concat(parts);
}

const open = (bytes: Buffer) =>
  openArchive(
    (async function* () {
      yield bytes;
    })(),
    undefined,
  );
const quiet = { step: (_title: string, work: () => Promise<void>) => work() };
const move = (paths: ClusterPaths, how?: Parameters<typeof restoreOperation>[0]): Promise<void> =>
  runOperation(paths, restoreOperation(how), {}, quiet);
const same = (settings: ClusterSettings): ClusterSettings => settings;

test("a cluster is made of a snapshot, in an empty folder", async () => {
  const bytes = await snapshotOf(await makeCluster("from", "new"));
  const paths = clusterPaths(join(root, "empty"));
  await prepareRestore(paths, await open(bytes), (saved) => ({ ...saved, name: "other" }));
  await move(paths);
  assert.deepEqual(await stateOf(paths), stateWith("new"));
  assert.equal(getSettings(paths).name, "other");
  assert.equal(existsSync(join(paths.folder, "restored")), false);
});

test("a restore that ends anywhere is continued, and leaves the new state", async () => {
  const bytes = await snapshotOf(await makeCluster("source", "new"));
  const prepared = await makeCluster("present", "old");
  await prepareRestore(prepared, await open(bytes), same);
  assert.deepEqual(await stateOf(prepared), stateWith("old"));
  for (let last = 0; ; last++) {
    const paths = clusterPaths(join(root, `ended-${last}`));
    cpSync(prepared.folder, paths.folder, { recursive: true });
    let moves = 0;
    const endAt = async (from: string, to: string): Promise<void> => {
      if (moves++ === last) throw new Error("killed");
      await rename(from, to);
    };
    const result = await move(paths, endAt).then(
      () => "done",
      (error: Error) => error.message,
    );
    if (result !== "done") await move(paths);
    assert.deepEqual(await stateOf(paths), stateWith("new"), `ended at ${last}`);
    assert.equal(readFileSync(join(paths.folder, "before-restore/pki/ca.key"), "utf8"), "old");
    assert.equal(existsSync(join(paths.folder, "access/admin.kubeconfig")), false);
    if (result === "done") break;
    assert.equal(result, "killed");
    assert.ok(last < 30);
  }
});

test("an archive that is damaged changes nothing", async () => {
  const bytes = await snapshotOf(await makeCluster("whole", "new"));
  const paths = await makeCluster("kept", "old");
  const cut = bytes.subarray(0, bytes.length - 20);
  await assert.rejects(async () => prepareRestore(paths, await open(cut), same));
  assert.equal(await findOperation(paths), undefined);
  assert.deepEqual(await stateOf(paths), stateWith("old"));
  assert.equal(existsSync(join(paths.folder, "restored")), false);
});

test("a folder has whole snapshots only, and removes what was left by a program that ended", async () => {
  const target = folderTarget(join(root, "snapshots"));
  assert.deepEqual(await target.list(), []);
  const name = "a-2026-01-01T00-00-00Z.k8ts.tar.gz";
  const content = async function* () {
    yield Buffer.from("x");
    if (fails) throw new Error("no more");
  };
  let fails = true;
  await assert.rejects(target.write(name, content()), { message: "no more" });
  assert.deepEqual(await target.list(), []);
  fails = false;
  mkdirSync(target.place, { recursive: true });
  writeFileSync(join(target.place, `${name}.partial`), "left by a program that was killed");
  writeFileSync(join(target.place, "other.partial"), "of another program");
  assert.equal(await target.write(name, content()), 1);
  const [stored] = await target.list();
  assert.deepEqual(stored, {
    name,
    createdMs: Date.UTC(2026, 0, 1),
    isScheduled: false,
    sizeBytes: 1,
  });
  assert.equal(existsSync(join(target.place, `${name}.partial`)), false);
  assert.ok(existsSync(join(target.place, "other.partial")));
  await target.remove(name);
  assert.deepEqual(await target.list(), []);
});
