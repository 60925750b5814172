import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock } from "#/std/time/clock.ts";
import { certificateSpecs } from "../access/certificates.ts";
import { ensurePki, makeAuthority } from "../access/pki.ts";
import { plannedSettings } from "../plan/up-settings.ts";
import { keysObject, readKeysObject, sealFiles, unsealFiles } from "./published-keys.ts";
import { countState, followSharedFiles, readSharedFiles } from "./shared-files.ts";

const settings = { ...plannedSettings("k8ts"), nodeIp: "10.0.0.1", etcd: {} };
const of = { subject: "ca", driver: "vm-1", id: "1" };

/** The folders of keys of two servers of a cluster. */
async function twoServers() {
  const folder = mkdtempSync(join(tmpdir(), "k8ts-published-"));
  const [own, other] = [join(folder, "a"), join(folder, "b")];
  await ensurePki(own, certificateSpecs(settings, "host"), systemClock.now());
  cpSync(own, other, { recursive: true });
  return { own, other, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}

test("the keys of a rotation pass to another server while it replaces a key, and after that", async () => {
  using servers = await twoServers();
  const { own, other } = servers;
  mkdirSync(join(own, "next"));
  writeFileSync(join(own, "next", "ca.key"), "the next key");
  const first = await sealFiles(own, of, await readSharedFiles(own, settings));
  await makeAuthority(own, "ca", systemClock.now(), "renewed");
  writeFileSync(join(own, "ca-cross.crt"), "a certificate");
  rmSync(join(own, "next", "ca.key"));
  const second = await sealFiles(own, of, await readSharedFiles(own, settings));
  for (const keys of [first, second, second, first]) {
    const received = readKeysObject(keysObject(keys));
    assert.ok(received);
    await followSharedFiles(other, settings, await unsealFiles(other, received));
    assert.equal(existsSync(join(other, "next", "ca.key")), keys === first);
    assert.equal(existsSync(join(other, "ca-cross.crt")), keys === second);
    const files = await readSharedFiles(other, settings);
    assert.deepEqual(await unsealFiles(own, keys), files);
  }
});

test("the key that is replaced does not open its successor, and nothing opens another purpose", async () => {
  using servers = await twoServers();
  const { own, other } = servers;
  const keys = await sealFiles(own, of, await readSharedFiles(own, settings));
  const refused = /are not for the keys of this server/;
  for (const changed of [{ subject: "encryption" }, { driver: "vm-2" }, { id: "2" }]) {
    await assert.rejects(unsealFiles(other, { ...keys, ...changed }), refused);
  }
  for (const file of ["front-proxy-ca.key", "kubelet-ca.key", "sa.key"]) rmSync(join(other, file));
  await assert.rejects(unsealFiles(other, keys), refused);
});

test("followSharedFiles() refuses keys of an older state, which were published again", async () => {
  using servers = await twoServers();
  const { own, other } = servers;
  const published = async () => {
    await countState(own);
    return await readSharedFiles(own, settings);
  };
  const first = await published();
  await makeAuthority(own, "ca", systemClock.now(), "renewed");
  const second = await published();
  for (const files of [first, second, second]) await followSharedFiles(other, settings, files);
  await assert.rejects(followSharedFiles(other, settings, first), {
    message: "the published keys are those of state 1, and this server has 2",
  });
  assert.deepEqual(await readSharedFiles(other, settings), second);
});
