import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Pod } from "#/api/core/v1.ts";
import { FileWorkers } from "#/kubelet/files/file-workers.ts";
import { DiskUsage } from "#/kubelet/stats/disk-usage.ts";
import { measureFilesystem } from "#/kubelet/stats/measure-filesystem.ts";
import { VolumeStats } from "#/kubelet/stats/volume-stats.ts";
import { Mounter } from "#/std/mounts/mounter.ts";
import { runProgram } from "#/std/process/run-program.ts";
import { systemClock } from "#/std/time/clock.ts";
import { until } from "#/testing/until.ts";
import { hungMount, hungMountProblem } from "./hung-mount.ts";

const skip = hungMountProblem() ?? false;
const folder = mkdtempSync(join(tmpdir(), "k8ts-hung-"));
after(() => rmSync(folder, { recursive: true }));

/** The processes for file tasks that this one has started. */
function workerIds(): Set<string> {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, "utf8");
  return new Set(children.trim().split(" ").filter(isWorker));
}

function isWorker(id: string): boolean {
  try {
    return readFileSync(`/proc/${id}/cmdline`, "utf8").includes("file-worker");
  } catch {
    return false; // It has ended.
  }
}

/** More than Node has threads for files. */
const mounts = 6;

test("file tasks on mounts that hang time out, and those on other volumes go on", {
  skip,
}, async () => {
  const healthy = join(folder, "healthy");
  mkdirSync(healthy);
  writeFileSync(join(healthy, "file"), "text");
  using hung = new DisposableStack();
  const workers = new FileWorkers({ timeoutMs: 1_000 });
  const attempts = Array.from({ length: mounts }, (_, index) => {
    const volume = join(folder, `hung-${index}`);
    hung.use(hungMount(volume));
    return workers.run("makeSubPath", { volume, subPath: "x" }, volume);
  });
  const failures = Promise.allSettled(attempts);
  const read = () => workers.run("readFile", { root: healthy, path: "file", maxBytes: 9 }, healthy);
  assert.equal(await read(), "text");
  // The threads that Node has for files are free.
  assert.equal(await readFile(join(healthy, "file"), "utf8"), "text");
  for (const result of await failures) {
    assert.equal(result.status, "rejected");
    assert.match(`${result.reason}`, /hung-\d does not respond/);
  }
  // A volume that hung before has one process for itself and its like.
  const again = Promise.allSettled(
    Array.from({ length: mounts }, (_, index) => {
      const volume = join(folder, `hung-${index}`);
      return workers.run("makeSubPath", { volume, subPath: "x" }, volume);
    }),
  );
  let isOver = false;
  void again.then(() => {
    isOver = true;
  });
  assert.equal(await read(), "text");
  assert.equal(isOver, false);
  hung.dispose();
  await again;
});

test("file tasks on a mount whose server has taken a request leave one process behind", {
  skip,
}, async () => {
  const volume = join(folder, "taken");
  using hung = hungMount(volume);
  hung.takeRequests();
  const workers = new FileWorkers({ timeoutMs: 1_000 });
  const attempt = () => workers.run("makeSubPath", { volume, subPath: "x" }, volume);
  const before = workerIds();
  for (let tries = 0; tries < 3; tries++) await assert.rejects(attempt(), /does not respond/);
  assert.equal(workerIds().difference(before).size, 1);
});

test("a mount that hangs is found in the mount table and unmounted without being accessed", {
  skip,
}, async () => {
  const target = join(folder, "unmounted");
  const mount = hungMount(target);
  const mounter = new Mounter();
  assert.equal(await mounter.isMountPoint(target), true);
  assert.deepEqual(await mounter.below(folder), [target]);
  await mounter.unmount(target);
  assert.equal(await mounter.isMountPoint(target), false);
  mount.release();
});

test("statistics of volumes that hang hold up neither requests nor other volumes", {
  skip,
}, async () => {
  const target = join(folder, "measured");
  using _hung = hungMount(target);
  const stats = new VolumeStats({
    clock: systemClock,
    disk: new DiskUsage({ clock: systemClock }),
    maxAgeMs: 60_000,
    path: (uid) => (uid === "hung" ? target : folder),
    run: (program, args, input) => runProgram(program, args, input, { timeoutMs: 1_000 }),
  });
  const pod = (uid: string): Pod => ({
    metadata: { uid },
    spec: {
      containers: [],
      volumes: [{ name: "data", persistentVolumeClaim: { claimName: uid } }],
    },
  });
  assert.deepEqual(stats.get(pod("hung")), []);
  await until("the other volume is measured", () => stats.get(pod("healthy")).length === 1);
  await assert.rejects(
    measureFilesystem(target, (program, args) => runProgram(program, args, "", { timeoutMs: 100 })),
    { message: "stat failed: timed out after 0.1s" },
  );
  assert.ok((await measureFilesystem(folder)).capacityBytes > 0);
});
