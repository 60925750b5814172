import assert from "node:assert/strict";
import {
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { editKubeconfig } from "#/cluster/access/edit-kubeconfig.ts";
import { writeSnapshotFile } from "#/cluster/backup/folder-target.ts";
import { writeWhole } from "#/cluster/base/write-file.ts";

/* Root writes into folders in which another user writes as well: no link leads it to another file. */

interface Place {
  /** The folder that both write. */
  readonly shared: string;
  /** A file of root's elsewhere. */
  readonly victim: string;
}

async function inSharedFolder(work: (place: Place) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "shared-"));
  try {
    const place = { shared: join(folder, "shared"), victim: join(folder, "victim") };
    await mkdir(place.shared);
    await writeFile(place.victim, "untouched", { mode: 0o640 });
    const before = await stat(place.victim);
    await work(place);
    const { mode, uid, gid } = await stat(place.victim);
    assert.equal(await readFile(place.victim, "utf8"), "untouched");
    assert.deepEqual([mode, uid, gid], [before.mode, before.uid, before.gid]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test("writeWhole() writes no file behind a link that waits for it, and leaves none of others", () =>
  inSharedFolder(async ({ shared, victim }) => {
    const file = join(shared, "jane.kubeconfig");
    await symlink(victim, `${file}.${process.pid}.new`);
    await writeWhole(file, "key", 0o600);
    assert.equal(await readFile(file, "utf8"), "key");
    assert.equal((await lstat(file)).isFile(), true);
    // A file that another user owns would stay readable for its owner.
    await using waiting = await open(`${file}.${process.pid}.new`, "wx+", 0o666);
    await writeWhole(file, "key", 0o600);
    assert.equal(await waiting.readFile("utf8"), "");
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.deepEqual(await readdir(shared), ["jane.kubeconfig"]);
  }));

test("editKubeconfig() changes no owner and no content behind a link", () =>
  inSharedFolder(async ({ shared, victim }) => {
    const file = join(shared, "config");
    await symlink(victim, `${file}.${process.pid}.tmp`);
    // Only root gives files away.
    const isRoot = process.getuid?.() === 0;
    const owner = { uid: isRoot ? 4242 : (process.getuid?.() ?? 0), gid: process.getgid?.() ?? 0 };
    await editKubeconfig(file, (config) => ({ ...config, kind: "Config" }), owner);
    const written = await lstat(file);
    assert.deepEqual(
      [written.isFile(), written.uid, written.mode & 0o777],
      [true, owner.uid, 0o600],
    );
  }));

test("writeSnapshotFile() refuses a partial file that is there, and leaves it", () =>
  inSharedFolder(async ({ shared, victim }) => {
    const file = join(shared, "backup.tar.gz");
    await symlink(victim, `${file}.partial`);
    await assert.rejects(writeSnapshotFile(file, bytes()), { code: "EEXIST" });
    assert.deepEqual(await readdir(shared), ["backup.tar.gz.partial"]);
    await rm(`${file}.partial`);
    assert.equal(await writeSnapshotFile(file, bytes()), 4);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
  }));

async function* bytes(): AsyncGenerator<Uint8Array> {
  yield Buffer.from("keys");
}
