import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { manifestFiles, readManifest } from "#/cluster/programs/manifest-files.ts";
import { runProgram } from "#/std/process/run-program.ts";

/* The cluster applies the manifests of a folder as its administrator. */

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "manifests-"));
  try {
    await mkdir(join(folder, "sub"), { mode: 0o755 });
    await writeFile(join(folder, "sub/a.yaml"), "kind: List\n", { mode: 0o644 });
    await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test("manifests of a folder that only its owner changes are found and read", () =>
  inFolder(async (folder) => {
    assert.deepEqual(await manifestFiles(folder), [join(folder, "sub/a.yaml")]);
    assert.equal(await readManifest(join(folder, "sub/a.yaml")), "kind: List\n");
    await symlink("sub/a.yaml", join(folder, "b.yaml"));
    assert.equal(await readManifest(join(folder, "b.yaml")), "kind: List\n");
  }));

for (const { name, path, mode } of [
  { name: "the folder", path: ".", mode: 0o777 },
  { name: "a folder below it", path: "sub", mode: 0o777 },
  { name: "a file", path: "sub/a.yaml", mode: 0o666 },
]) {
  test(`manifests are refused if other users can change ${name}`, () =>
    inFolder(async (folder) => {
      await chmod(join(folder, path), mode);
      await assert.rejects(manifestFiles(folder), /could change .*the cluster applies/);
    }));
}

test("what is no file, or never ends, is refused as a manifest", () =>
  inFolder(async (folder) => {
    await runProgram("mkfifo", [join(folder, "pipe.yaml")]);
    await symlink("/dev/zero", join(folder, "zero.yaml"));
    await writeFile(join(folder, "large.yaml"), Buffer.alloc((16 << 20) + 1));
    assert.equal((await manifestFiles(folder)).length, 4);
    for (const file of ["pipe", "zero", "large"]) {
      await assert.rejects(readManifest(join(folder, `${file}.yaml`)), /is no file|is too large/);
    }
  }));
