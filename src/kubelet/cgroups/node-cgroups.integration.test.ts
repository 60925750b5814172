import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { test } from "node:test";
import type { Pod } from "#/api/core/v1.ts";
import { parseResourceList } from "#/machinery/values/resource-list.ts";
import { systemClock } from "#/std/time/clock.ts";
import { openCgroups } from "./cgroup-filesystem.ts";
import { NodeCgroups } from "./node-cgroups.ts";

const skip = process.getuid?.() !== 0 && "needs root";

/** The file that has 512 shares, and its content, by version of cgroups. */
const shares = { 1: ["cpu.shares", "512"], 2: ["cpu.weight", "59"] } as const;

test("NodeCgroups creates, limits and removes cgroups of pods", { skip }, async () => {
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
      swapBehavior: "NoSwap",
      swapCapacityBytes: 0,
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
    const [file, expected] = shares[filesystem.version];
    for (const path of [cgroups.path(pod), `${root}/kubepods/burstable`])
      assert.equal((await filesystem.read(path, "cpu", file))?.trim(), expected);
    const child = spawn("sleep", ["60"], { stdio: "ignore" });
    const ended = new Promise((done) => child.on("exit", (_code, signal) => done(signal)));
    const hierarchy = filesystem.version === 2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/cpu";
    await writeFile(`${hierarchy}${cgroups.path(pod)}/cgroup.procs`, String(child.pid));
    await cgroups.remove("ab-12");
    assert.deepEqual(await cgroups.pods(), []);
    assert.equal(await ended, "SIGKILL");
  } finally {
    await filesystem.remove(root);
  }
});
