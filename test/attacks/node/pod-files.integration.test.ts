import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Worker } from "node:worker_threads";
import { Descriptor } from "#/kubelet/files/descriptor.ts";
import { FileWorkers } from "#/kubelet/files/file-workers.ts";
import { removeTree } from "#/kubelet/files/remove-tree.ts";
import { DiskUsage } from "#/kubelet/stats/disk-usage.ts";
import { systemClock } from "#/std/time/clock.ts";

const skip = process.getuid?.() !== 0 && "needs root";
const folder = mkdtempSync(join(tmpdir(), "k8ts-pod-files-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const workers = new FileWorkers();

/** Replaces each new directory of a volume by a link, as fast as it can, as a container could. */
const swapper = `
const { readdirSync, renameSync, symlinkSync } = require("node:fs");
const { parentPort, workerData: { volume, victim } } = require("node:worker_threads");
parentPort.postMessage("ready");
let swaps = 0;
for (const end = Date.now() + 60000; Date.now() < end; ) {
  for (const name of readdirSync(volume)) {
    if (!name.startsWith("new")) continue;
    try {
      renameSync(volume + "/" + name, volume + "/old" + swaps++);
      symlinkSync(victim, volume + "/" + name);
    } catch {}
  }
}`;

test("a container that swaps a sub-path for a link changes no file of the node", {
  skip,
}, async () => {
  const volume = join(folder, "volume");
  const victim = join(folder, "victim");
  mkdirSync(volume);
  chmodSync(volume, 0o4777);
  writeFileSync(victim, "", { mode: 0o600 });
  const attacker = new Worker(swapper, { eval: true, workerData: { volume, victim } });
  await once(attacker, "message");
  for (let attempt = 0; attempt < 300; attempt++) {
    const subPath = `new${attempt}/deep`;
    await workers.run("makeSubPath", { volume, subPath }, volume).catch(() => undefined);
    assert.equal(statSync(victim).mode & 0o7777, 0o600, `attempt ${attempt}`);
  }
  await attacker.terminate();
  await workers.run("makeSubPath", { volume, subPath: "harmless" }, volume);
  assert.equal(statSync(join(volume, "harmless")).mode & 0o7777, 0o777);
});

test("a container that swaps an env file for a link reads no file of the node", {
  skip,
}, async () => {
  const volume = join(folder, "environment");
  const secret = join(folder, "secret");
  mkdirSync(volume);
  writeFileSync(secret, "secret");
  const attack = `
    const { renameSync, symlinkSync, writeFileSync } = require("node:fs");
    const { parentPort, workerData: { volume, secret } } = require("node:worker_threads");
    writeFileSync(volume + "/file", "harmless");
    parentPort.postMessage("ready");
    for (const end = Date.now() + 60000; Date.now() < end; ) {
      symlinkSync(secret, volume + "/link");
      renameSync(volume + "/link", volume + "/file");
      writeFileSync(volume + "/plain", "harmless");
      renameSync(volume + "/plain", volume + "/file");
    }`;
  const attacker = new Worker(attack, { eval: true, workerData: { volume, secret } });
  await once(attacker, "message");
  const request = { root: volume, path: "file", maxBytes: 100 };
  const found = new Set<string>();
  for (let attempt = 0; attempt < 300; attempt++) {
    const text = workers.run("readFile", request, volume);
    found.add(await text.catch((error: Error) => error.message.replace(/^.*leads/, "leads")));
  }
  await attacker.terminate();
  assert.equal(found.has("secret"), false);
  assert.equal(found.has("harmless"), true);
  assert.equal(readFileSync(secret, "utf8"), "secret");
});

/** A tree whose path is much longer than the kernel's limit of paths. */
function makeDeep(root: string, depth: number): void {
  mkdirSync(root);
  const name = "d".repeat(250);
  let here = Descriptor.open(root);
  for (let level = 0; level < depth; level++) {
    const next = here.makeDirectory(name, 0o755);
    here[Symbol.dispose]();
    here = next;
  }
  here[Symbol.dispose]();
}

test("a tree deeper than the limit of paths is counted, owned and removed", { skip }, async () => {
  const depth = 500;
  const root = join(folder, "deep");
  makeDeep(root, depth);
  const usage = await new DiskUsage({ clock: systemClock }).get(root);
  assert.equal(usage.inodesUsed, depth + 1);
  const ownership = { directory: root, fsGroup: 1234, readOnly: false };
  assert.deepEqual(await workers.run("changeOwnership", ownership, root), []);
  let here = Descriptor.open(root);
  for (let level = 0; level < depth; level++) {
    const next = here.find("d".repeat(250));
    here[Symbol.dispose]();
    assert(next);
    here = next;
  }
  assert.deepEqual([here.stat().gid, here.stat().mode & 0o7777], [1234, 0o2775]);
  here[Symbol.dispose]();
  await removeTree(root);
  assert.equal(existsSync(root), false);
});

test("removing a Pod's files removes no mounted file system and no target of a link", {
  skip,
}, async () => {
  const root = join(folder, "pod");
  const kept = join(folder, "kept");
  mkdirSync(join(root, "mounted"), { recursive: true });
  mkdirSync(kept);
  writeFileSync(join(kept, "file"), "");
  execFileSync("ln", ["-s", kept, join(root, "link")]);
  execFileSync("mount", ["-t", "tmpfs", "tmpfs", join(root, "mounted")]);
  writeFileSync(join(root, "mounted", "data"), "");
  try {
    await assert.rejects(removeTree(root));
    assert.equal(existsSync(join(root, "mounted", "data")), true);
  } finally {
    execFileSync("umount", [join(root, "mounted")]);
  }
  await removeTree(root);
  assert.deepEqual([existsSync(root), existsSync(join(kept, "file"))], [false, true]);
});
