import assert from "node:assert/strict";
import { createServer } from "node:net";
import { test } from "node:test";
import { type Machine, machineProblems, portProblem } from "./preflight.ts";

const good: Machine = {
  uid: 0,
  kernel: "6.1.0-18-amd64",
  filesystems: "nodev\tproc\nnodev\toverlay\n",
  mounts: "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n",
  hasIpvs: true,
  hasIpv6: true,
};

interface Case {
  readonly name: string;
  readonly machine: Partial<Machine>;
  readonly proxyMode?: string;
  readonly ipv6?: boolean;
  readonly problems: readonly string[];
}

const cases: readonly Case[] = [
  { name: "a good machine", machine: {}, problems: [] },
  {
    name: "cgroups of the first version",
    machine: {
      mounts: ["cpu,cpuacct", "memory", "pids"]
        .map((names) => `cgroup /sys/fs/cgroup/x cgroup rw,${names} 0 0`)
        .join("\n"),
    },
    problems: [],
  },
  {
    name: "another user than root",
    machine: { uid: 1000 },
    problems: ["containers need root: run it as root, or with sudo"],
  },
  {
    name: "an old kernel",
    machine: { kernel: "4.19.0" },
    problems: ["the kernel is 4.19.0, but 5.4 or newer is needed"],
  },
  {
    name: "no overlayfs",
    machine: { filesystems: "nodev\tproc\n" },
    problems: ["the kernel has no overlayfs: load it with `modprobe overlay`"],
  },
  { name: "no ipvs where it is not needed", machine: { hasIpvs: false }, problems: [] },
  { name: "ipvs", machine: {}, proxyMode: "ipvs", problems: [] },
  {
    name: "no ipvs",
    machine: { hasIpvs: false },
    proxyMode: "ipvs",
    problems: [
      "the kernel has no ipvs: load it with `modprobe ip_vs`, or choose --proxy-mode=nftables",
    ],
  },
  { name: "no IPv6 where it is not needed", machine: { hasIpv6: false }, problems: [] },
  {
    name: "no IPv6",
    machine: { hasIpv6: false },
    ipv6: true,
    problems: [
      "the kernel has no IPv6: start it without ipv6.disable=1, or leave IPv6 out of --pod-network-cidr",
    ],
  },
  {
    name: "no cgroups",
    machine: { mounts: "" },
    problems: [
      "cgroups are not mounted (missing: cpu, memory, pids); mount cgroup2 on /sys/fs/cgroup",
    ],
  },
];

for (const { name, machine, proxyMode = "nftables", ipv6 = false, problems } of cases) {
  test(`machineProblems() of ${name}`, () => {
    assert.deepEqual(machineProblems({ ...good, ...machine }, { proxyMode, ipv6 }), problems);
  });
}

test("portProblem() reports a port in use", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "0.0.0.0", resolve));
  const { port } = server.address() as { port: number };
  assert.equal(
    await portProblem(port, "API server"),
    `port ${port} (API server) is taken by another program`,
  );
  await new Promise((resolve) => server.close(resolve));
  assert.equal(await portProblem(port, "API server"), undefined);
});
