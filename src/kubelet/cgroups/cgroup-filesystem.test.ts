import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openCgroups } from "./cgroup-filesystem.ts";
import { parseCgroupMounts } from "./parse-cgroup-mounts.ts";

test("parseCgroupMounts() finds the controllers of version 1 and the unified tree", () => {
  const { controllers, unified } = parseCgroupMounts(
    [
      "30 25 0:26 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid shared:9 - cgroup cgroup rw,cpu,cpuacct",
      "31 25 0:27 / /sys/fs/cgroup/systemd rw shared:9 - cgroup cgroup rw,xattr,name=systemd",
      "32 25 0:28 / /sys/fs/cgroup/unified rw shared:9 - cgroup2 cgroup2 rw",
    ].join("\n"),
  );
  assert.deepEqual(Object.fromEntries(controllers), {
    cpu: "/sys/fs/cgroup/cpu,cpuacct",
    cpuacct: "/sys/fs/cgroup/cpu,cpuacct",
    systemd: "/sys/fs/cgroup/systemd",
  });
  assert.equal(unified, "/sys/fs/cgroup/unified");
});

test("openCgroups() writes limits of version 2 in the files of version 2", async () => {
  const root = await mkdtemp(join(tmpdir(), "k8ts-cgroup2-"));
  const mountinfo = join(root, "mountinfo");
  await writeFile(mountinfo, `32 25 0:28 / ${root} rw shared:9 - cgroup2 cgroup2 rw\n`);
  const files = [
    "cpu.weight",
    "cpu.max",
    "memory.max",
    "pids.max",
    "hugetlb.2MB.max",
    "cgroup.procs",
  ];
  await mkdir(join(root, "kubepods/podu"), { recursive: true });
  for (const file of files) await writeFile(join(root, "kubepods/podu", file), "");
  await writeFile(join(root, "kubepods/podu/cgroup.procs"), "7\n9\n");
  try {
    const cgroups = await openCgroups(mountinfo);
    assert.equal(cgroups.version, 2);
    await cgroups.limit("/kubepods/podu", {
      cpuShares: 1024,
      cpuQuotaUs: 50_000,
      cpuPeriodUs: 100_000,
      memoryBytes: 1 << 20,
      pids: 10,
      hugePages: new Map([[2 ** 21, 2 ** 22]]),
    });
    const read = (file: string) => readFile(join(root, "kubepods/podu", file), "utf8");
    assert.deepEqual(await Promise.all(files.slice(0, 5).map(read)), [
      "100",
      "50000 100000",
      "1048576",
      "10",
      "4194304",
    ]);
    await writeFile(join(root, "kubepods/podu/cpu.max"), "");
    await cgroups.limit("/kubepods/podu", { cpuQuotaUs: -1 });
    assert.equal(await read("cpu.max"), "max 100000");
    assert.deepEqual(await cgroups.processes("/kubepods"), [7, 9]);
    assert.deepEqual(await cgroups.children("/kubepods"), ["podu"]);
    await assert.rejects(cgroups.create("/other"), {
      message: "cgroup /other can't have the controllers cpu, memory, pids",
    });
  } finally {
    await rm(root, { recursive: true });
  }
});
