import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterPaths } from "../base/paths.ts";
import { containerdConfig } from "./containerd-config.ts";

const runc = {
  1: 'plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc',
  2: 'plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc',
};

for (const major of [1, 2] as const) {
  for (const systemdCgroup of [true, false]) {
    test(`containerdConfig() of version ${major} gives systemd the cgroups: ${systemdCgroup}`, () => {
      const paths = clusterPaths("/srv/x");
      const options = { major, paths, cniPlugins: "/usr/lib/cni", mayProtect: true };
      const text = containerdConfig({ ...options, systemdCgroup });
      const section = `[${runc[major]}]\nruntime_type = "io.containerd.runc.v2"\n
[${runc[major]}.options]\nSystemdCgroup = true\n`;
      assert.equal(text.includes(section), systemdCgroup);
      assert.equal(text.includes("SystemdCgroup"), systemdCgroup);
      assert.match(text, new RegExp(`^version = ${major + 1}$`, "m"));
    });
  }
}
