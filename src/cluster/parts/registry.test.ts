import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterPaths } from "../base/paths.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { registry } from "./registry.ts";

const shared = { runtime: "containerd", verbosity: 0, logFormat: "text", podCidr: "10.244.0.0/16" };
const paths = clusterPaths("/srv/x");

for (const { role, server, expected } of [
  {
    role: "server",
    server: "https://10.0.0.1:6443",
    expected: `server = "https://10.0.0.1:10264"
capabilities = ["pull","resolve"]
ca = "/srv/x/pki/ca.crt"
client = [["/srv/x/pki/kubelet.crt","/srv/x/pki/kubelet.key"]]
`,
  },
  {
    role: "agent",
    server: "https://[fd00::1]:6443",
    expected: `server = "https://[fd00::1]:10264"
capabilities = ["pull","resolve"]
ca = "/srv/x/pki/ca.crt"
client = "/srv/x/kubelet/pki/kubelet-client-current.pem"
`,
  },
] as const) {
  test(`the registry's hosts.toml of a node of the ${role}`, () => {
    const settings = {
      ...shared,
      name: "k8ts",
      role,
      server,
      nodeIp: "10.0.0.1",
    } as unknown as ClusterSettings;
    const files = registry.agent?.files?.({ paths, settings, resolvConf: "" });
    // Without a table of hosts, containerd 1 reads nothing.
    assert.deepEqual(files, [
      { path: "/srv/x/config/registries/localhost:5001/hosts.toml", text: `${expected}\n[host]\n` },
    ]);
  });
}

test("a node with another runtime has no registry", () => {
  const settings = {
    ...shared,
    runtime: "crio",
    name: "k8ts",
    role: "server",
    server: "https://10.0.0.1:6443",
  };
  const context = { paths, settings: settings as unknown as ClusterSettings, resolvConf: "" };
  assert.deepEqual(registry.agent?.files?.(context), []);
  assert.equal(registry.agent?.flags(context)["mode"], "none");
});
