import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock } from "#/std/time/clock.ts";
import { certificateSpecs } from "../access/certificates.ts";
import { ensurePki } from "../access/pki.ts";
import { clusterPaths } from "../base/paths.ts";
import { plannedSettings } from "../plan/up-settings.ts";
import { readSharedFiles } from "../shared-keys/shared-files.ts";
import { generateServerKey, isServerKey, openKeys, sealKeys } from "./server-keys.ts";

const settings = { ...plannedSettings("k8ts"), nodeIp: "10.0.0.1", etcd: {} };
const keys = { settings, members: ["a=https://10.0.0.1:2380"], files: { "ca.key": "c2VjcmV0" } };

test("readSharedFiles() has every authority and key of the cluster, and no certificate of the server itself", async () => {
  const folder = mkdtempSync(join(tmpdir(), "k8ts-keys-"));
  try {
    const paths = clusterPaths(folder);
    await ensurePki(paths.pki, certificateSpecs(settings, "host"), systemClock.now());
    mkdirSync(join(paths.pki, "more"));
    writeFileSync(join(paths.pki, "more", "encryption.key"), "x");
    const files = await readSharedFiles(paths.pki, settings);
    assert.deepEqual(Object.keys(files).sort(), [
      "ca.crt",
      "ca.key",
      "etcd/ca.crt",
      "etcd/ca.key",
      "front-proxy-ca.crt",
      "front-proxy-ca.key",
      "kubelet-authorities.crt",
      "kubelet-ca.crt",
      "kubelet-ca.key",
      "more/encryption.key",
      "sa.key",
      "sa.pub",
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("openKeys() opens what sealKeys() has sealed, which does not show its content", () => {
  const key = generateServerKey();
  assert.ok(isServerKey(key));
  const sealed = sealKeys(keys, key, "abcdef");
  assert.equal(sealed.includes("c2VjcmV0"), false);
  assert.deepEqual(openKeys(sealed, key, "abcdef"), JSON.parse(JSON.stringify(keys)));
});

for (const { name, change } of [
  { name: "another key", change: { key: generateServerKey() } },
  { name: "another token", change: { id: "other1" } },
  { name: "damage", change: { damage: true } },
  { name: "nothing at all", change: { empty: true } },
]) {
  test(`openKeys() names the command for new keys: ${name}`, () => {
    const key = generateServerKey();
    const sealed = sealKeys(keys, key, "abcdef");
    if ("damage" in change) sealed[sealed.length - 1] = (sealed.at(-1) ?? 0) ^ 1;
    const given = "empty" in change ? Buffer.alloc(0) : sealed;
    const open = () => openKeys(given, change.key ?? key, change.id ?? "abcdef");
    assert.throws(open, /does not fit this token.*token create --server/);
  });
}
