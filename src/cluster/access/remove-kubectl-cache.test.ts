import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { ClusterSettings } from "../base/settings.ts";
import { removeKubectlCache } from "./remove-kubectl-cache.ts";

const folder = mkdtempSync(join(tmpdir(), "k8ts-cache-"));
after(() => rmSync(folder, { recursive: true, force: true }));

function settings(kube: string): ClusterSettings {
  return {
    role: "server",
    server: "https://192.0.2.1:6443",
    kubeconfigs: [join(kube, "config")],
  } as unknown as ClusterSettings;
}

test("removeKubectlCache() removes the cluster's caches and then empty folders", async () => {
  const kube = join(folder, "a/.kube");
  for (const host of ["192.0.2.1_6443", "127.0.0.1_6443"]) {
    mkdirSync(join(kube, "cache/discovery", host), { recursive: true });
    mkdirSync(join(kube, "cache/openapi", host), { recursive: true });
  }
  await removeKubectlCache(settings(kube));
  assert.equal(existsSync(kube), false);
});

test("removeKubectlCache() keeps caches of other clusters", async () => {
  const kube = join(folder, "b/.kube");
  mkdirSync(join(kube, "cache/discovery/198.51.100.1_6443"), { recursive: true });
  mkdirSync(join(kube, "cache/discovery/192.0.2.1_6443"), { recursive: true });
  await removeKubectlCache(settings(kube));
  assert.deepEqual(readdirSync(join(kube, "cache/discovery")), ["198.51.100.1_6443"]);
});
