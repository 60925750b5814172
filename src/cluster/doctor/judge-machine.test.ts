import assert from "node:assert/strict";
import { test } from "node:test";
import { type Finding, judgeMachine } from "./judge-machine.ts";
import type { MachineFacts } from "./machine-facts.ts";

const good: MachineFacts = {
  machine: {
    uid: 0,
    kernel: "6.1.0-18-amd64",
    filesystems: "nodev\toverlay\n",
    mounts: "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n",
    hasIpvs: false,
    hasIpv6: true,
  },
  proxyMode: "nftables",
  ipv6: false,
  missingPackages: [],
  hasApt: true,
  disk: {
    folder: "/var/lib",
    freeMiB: 20_480,
    usedPercent: 40,
    usedInodesPercent: 5,
    fileSystem: "ext4",
  },
  availableMemoryMiB: 2048,
  hasSwap: false,
  inotifyInstances: 1024,
  inotifyWatches: 100_000,
  pidMax: 4_194_304,
  dnsServers: ["192.0.2.1"],
  answeringDnsServers: ["192.0.2.1"],
  address: "192.0.2.7",
  isClockKept: true,
  now: Date.parse("2026-06-01T00:00:00Z"),
  madeAt: Date.parse("2026-05-01T00:00:00Z"),
  firewallHints: [],
  ports: [{ port: 6443, purpose: "API server", problem: undefined }],
  risks: [],
};

test("a good machine has nothing but good findings, one for each area", () => {
  const found = judgeMachine(good);
  assert.deepEqual([...new Set(found.map(({ state }) => state))], ["good"]);
  const areas = found.map(({ area }) => area);
  assert.deepEqual(areas, [...new Set(areas)]);
  assert.equal(areas.length, 10);
});

const { machine, disk } = good;
const cases: readonly [string, Partial<MachineFacts>, Finding["state"], string, RegExp][] = [
  ["an old kernel", { machine: { ...machine, kernel: "4.19.0" } }, "bad", "kernel", /5\.4/],
  ["no ipvs", { proxyMode: "ipvs" }, "bad", "kernel", /modprobe ip_vs/],
  ["no IPv6", { ipv6: true, machine: { ...machine, hasIpv6: false } }, "bad", "kernel", /IPv6/],
  ["missing packages", { missingPackages: ["a", "b"] }, "warning", "packages", /a, b/],
  ["none to install them", { missingPackages: ["a"], hasApt: false }, "bad", "packages", /a/],
  ["a small disk", { disk: { ...disk, freeMiB: 900 } }, "bad", "disk", /0\.9 GiB free/],
  ["a full disk", { disk: { ...disk, usedPercent: 85 } }, "bad", "disk", /evict/],
  ["no inodes", { disk: { ...disk, usedInodesPercent: 99 } }, "bad", "disk", /99 % of its inodes/],
  ["little memory", { availableMemoryMiB: 300 }, "warning", "memory", /0\.3 GiB/],
  ["low limits", { inotifyInstances: 128 }, "warning", "limits", /max_user_instances is 128/],
  ["no address", { address: undefined }, "bad", "address", /no address/],
  ["no DNS", { dnsServers: [], answeringDnsServers: [] }, "warning", "DNS", /no DNS server/],
  ["silent DNS", { answeringDnsServers: [] }, "warning", "DNS", /no answer from 192\.0\.2\.1/],
  ["a firewall", { firewallHints: ["  ufw allow 1"] }, "warning", "firewall", /closed/],
  ["no time", { isClockKept: false }, "warning", "clock", /no program/],
  ["1970", { now: 0 }, "bad", "clock", /1970-01-01/],
  ["a risk", { risks: ["old runtime"] }, "warning", "security", /old runtime/],
  [
    "a taken port",
    { ports: [{ port: 6443, purpose: "API server", problem: "port 6443 is taken" }] },
    "bad",
    "ports",
    /6443 is taken/,
  ],
];
for (const [title, facts, state, area, text] of cases) {
  test(`a machine with ${title}: ${area} is ${state}`, () => {
    const found = judgeMachine({ ...good, ...facts }).filter((one) => one.state !== "good");
    assert.deepEqual(
      found.map((one) => [one.area, one.state]),
      [[area, state]],
    );
    assert.match(found[0]?.text ?? "", text);
  });
}
