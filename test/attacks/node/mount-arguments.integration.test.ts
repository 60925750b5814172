import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Directories } from "#/kubelet/state/directories.ts";
import { nfs } from "#/kubelet/volumes/plugins/nfs.ts";
import { Mounter } from "#/std/mounts/mounter.ts";

const skip = process.getuid?.() !== 0 && "needs root";
const folder = mkdtempSync(join(tmpdir(), "k8ts-mount-arguments-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const mounter = new Mounter();

test("the server of an NFS volume is no option of mount: no path of the node is mounted", {
  skip,
}, async () => {
  const directories = new Directories(join(folder, "kubelet"));
  const target = directories.volume("uid", "kubernetes.io/nfs", "v");
  const secret = join(folder, "secret");
  mkdirSync(secret);
  writeFileSync(join(secret, "file"), "secret");
  // A table of mounts that a container of the same tenant has written into its own volume.
  mkdirSync(join(folder, "table:"));
  writeFileSync(join(folder, "table:/fstab"), `${secret} ${target} none bind 0 0\n`);
  const pod = { metadata: { name: "p", uid: "uid" }, spec: { containers: [] } };
  const volume = { name: "v", nfs: { server: `-T${folder}/table`, path: "/fstab" } };
  const mounting = nfs({ mounter, directories }).setUp?.({ pod, volume, signal: undefined });
  try {
    await assert.rejects(async () => await mounting, /mount failed: exit status/);
    assert.equal(existsSync(join(target, "file")), false);
  } finally {
    if (await mounter.isMountPoint(target)) execFileSync("umount", [target]);
  }
});

test("a directory is mounted, also if its name begins with a dash", { skip }, async () => {
  const target = join(folder, "target");
  mkdirSync(target);
  await mounter.mount({ source: "-tmpfs", target, type: "tmpfs" });
  try {
    assert.equal((await mounter.find(target))?.type, "tmpfs");
  } finally {
    await mounter.unmount(target);
  }
  assert.equal(await mounter.isMountPoint(target), false);
});
