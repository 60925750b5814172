import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { access, writeFile } from "node:fs/promises";
import { test } from "node:test";
import type { Pod } from "#/api/core/v1.ts";
import { parseResourceList } from "#/machinery/resource-list.ts";
import { systemClock } from "#/std/clock.ts";
import { openCgroups } from "./cgroup-filesystem.ts";
import { NodeCgroups } from "./node-cgroups.ts";

const writable = await access("/sys/fs/cgroup/cpu", 2).then(
  () => true,
  () => false,
);
const skip = process.getuid?.() !== 0 || !writable;

test("NodeCgroups makes, limits and removes cgroups of pods", { skip }, async () => {
  const filesystem = await openCgroups();
  const root = `/k8ts-test-${process.pid}`;
  await filesystem.create(root);
  const cgroups = new NodeCgroups({
    filesystem,
    driver: "cgroupfs",
    root,
    perQOS: true,
    settings: {
      memoryCapacityBytes: 2 ** 32,
      cpuCFSQuota: true,
      cpuPeriodUs: 100_000,
      cgroupV2: filesystem.version === 2,
      hugePageSizes: [],
      swapController: false,
      oomKillsContainer: true,
    },
    podPidsLimit: -1,
    allocatable: () => parseResourceList({ cpu: "1", memory: "1Gi" }),
    clock: systemClock,
  });
  const pod: Pod = {
    metadata: { uid: "ab-12" },
    spec: { containers: [{ name: "c", resources: { requests: { cpu: "500m" } } }] },
  };
  try {
    await cgroups.start();
    await cgroups.ensure(pod);
    assert.deepEqual(await cgroups.pods(), ["ab-12"]);
    assert.equal(cgroups.parent(pod), `${root}/kubepods/burstable/podab-12`);
    assert.equal((await filesystem.read(cgroups.path(pod), "cpu", "cpu.shares"))?.trim(), "512");
    assert.equal(
      (await filesystem.read(`${root}/kubepods/burstable`, "cpu", "cpu.shares"))?.trim(),
      "512",
    );
    const child = spawn("sleep", ["60"], { stdio: "ignore" });
    const ended = new Promise((done) => child.on("exit", (_code, signal) => done(signal)));
    await writeFile(`/sys/fs/cgroup/cpu${cgroups.path(pod)}/cgroup.procs`, String(child.pid));
    await cgroups.remove("ab-12");
    assert.deepEqual(await cgroups.pods(), []);
    assert.equal(await ended, "SIGKILL");
  } finally {
    await filesystem.remove(root);
  }
});
