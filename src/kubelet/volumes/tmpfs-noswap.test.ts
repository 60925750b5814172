import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Mounter } from "#/std/mounts/mounter.ts";
import { noswapSupport } from "./tmpfs-noswap.ts";

const host = "         0          0 4294967295\n";
const container = "         0     100000      65536\n";
const two = "         0          0       1000\n      1000     101000      64536\n";

for (const [what, kernelVersion, uidMap, canMount, expected, mounts] of [
  ["a new kernel", "6.4.0", host, false, true, 0],
  ["a newer major version", "7.0.1-generic", host, false, true, 0],
  ["an old kernel without the option", "6.3.9", host, false, false, 1],
  ["an old kernel with the option", "5.14.0-503.el9", host, true, true, 1],
  ["an unknown version", "odd", host, false, false, 1],
  ["a user namespace", "6.18.0", container, true, false, 0],
  ["a user namespace with two ranges", "6.18.0", two, true, false, 0],
] as const) {
  test(`tmpfs with noswap: ${what}`, async () => {
    const root = await mkdtemp(join(tmpdir(), "noswap-"));
    try {
      const uidMapFile = join(root, "uid_map");
      await writeFile(uidMapFile, uidMap);
      const calls: string[] = [];
      const table = join(root, "mountinfo");
      await writeFile(table, "");
      const mounter = new Mounter(async (program, args) => {
        calls.push([program, ...args.slice(0, -1)].join(" "));
        if (!canMount) throw new Error("tmpfs: Unknown parameter 'noswap'");
        return "";
      }, table);
      const directory = join(root, "plugins");
      const supports = noswapSupport({ mounter, kernelVersion, directory, uidMapFile });
      assert.equal(await supports(), expected);
      assert.equal(await supports(), expected);
      assert.deepEqual(calls, Array(mounts).fill("mount -t tmpfs -o noswap -- tmpfs"));
      if (mounts > 0) assert.deepEqual(await readdir(directory), []);
    } finally {
      await rm(root, { recursive: true });
    }
  });
}
