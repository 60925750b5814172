import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterSettings } from "../base/settings.ts";
import { type NodeCgroup, nodeCgroup } from "./node-cgroup.ts";

interface Case {
  readonly settings: Partial<ClusterSettings>;
  readonly hasSystemd: boolean;
  readonly cgroup: NodeCgroup;
}

const cgroupfs = (folder: string): NodeCgroup => ({
  driver: "cgroupfs",
  root: `/${folder}`,
  folder,
});

const cases: Case[] = [
  { settings: { name: "k8ts" }, hasSystemd: false, cgroup: cgroupfs("k8ts-n") },
  {
    settings: { name: "k8ts" },
    hasSystemd: true,
    cgroup: { driver: "systemd", root: "/", folder: "kubepods.slice" },
  },
  {
    settings: { name: "two-b" },
    hasSystemd: true,
    cgroup: { driver: "systemd", root: "/k8ts_two_b", folder: "k8ts_two_b.slice" },
  },
  {
    settings: { name: "k8ts", runtimeEndpoint: "unix:///run/other.sock" },
    hasSystemd: true,
    cgroup: cgroupfs("k8ts-n"),
  },
  {
    settings: {
      name: "k8ts",
      runtimeEndpoint: "unix:///run/other.sock",
      runtimeCgroupDriver: "systemd",
    },
    hasSystemd: true,
    cgroup: { driver: "systemd", root: "/", folder: "kubepods.slice" },
  },
];

for (const { settings, hasSystemd, cgroup } of cases) {
  const where = hasSystemd ? "with systemd" : "without systemd";
  test(`nodeCgroup() of ${JSON.stringify(settings)} ${where} is ${cgroup.folder}`, () => {
    const all = { nodeName: "n", ...settings } as ClusterSettings;
    assert.deepEqual(nodeCgroup(all, hasSystemd), cgroup);
  });
}
