import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { CommandFailure } from "../base/command-failure.ts";
import { type ArchiveEntry, openArchive, packArchive } from "./archive.ts";
import { ByteBlocks } from "./byte-blocks.ts";
import type { SnapshotManifest } from "./manifest.ts";

const sha256 = (text: Uint8Array): string => createHash("sha256").update(text).digest("hex");
const key = Buffer.from("secret key");
const manifest: SnapshotManifest = {
  format: 1,
  cluster: "test",
  created: "2026-01-01T00:00:00Z",
  version: "0.1.0",
  kubernetesVersion: "v1.37.0",
  revision: 7,
  files: [{ path: "pki/ca.key", mode: 0o600, sha256: sha256(key) }],
};
const files = new Map([["pki/ca.key", key]]);
const storeBlocks = [Buffer.alloc(3 << 20, 1), Buffer.from("end")];

async function pack(passphrase?: string, changed: Partial<SnapshotManifest> = {}) {
  const store = (async function* () {
    yield* storeBlocks;
  })();
  const content = { manifest: { ...manifest, ...changed }, files, store };
  return new ByteBlocks(packArchive(content, passphrase)).upTo(1 << 30);
}

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(bytes: Buffer, passphrase?: string, size = 1000) {
  const archive = await openArchive(inChunks(bytes, size), passphrase);
  const entries: ArchiveEntry[] = [];
  for await (const entry of archive.entries()) entries.push(entry);
  return { ...archive, entries };
}

for (const passphrase of [undefined, "öffne dich"]) {
  const title = passphrase === undefined ? "in the clear" : "with a passphrase";
  test(`an archive ${title} is read as it was written`, async () => {
    const bytes = await pack(passphrase);
    assert.equal(bytes.includes("ca.key"), false);
    for (const size of [1, 1 << 20]) {
      const found = await read(bytes, passphrase, size);
      assert.deepEqual(found.manifest, manifest);
      assert.equal(found.isSealed, passphrase !== undefined);
      assert.deepEqual(found.entries[0], { path: "pki/ca.key", mode: 0o600, content: key });
      const blocks = found.entries.flatMap((entry) => ("block" in entry ? [entry.block] : []));
      assert.deepEqual(Buffer.concat(blocks), Buffer.concat(storeBlocks));
    }
  });

  test(`an archive ${title} that was changed or cut anywhere is refused`, async () => {
    const bytes = await pack(passphrase);
    // A passphrase takes a fifth of a second to try.
    const step = Math.ceil(bytes.length / (passphrase === undefined ? 50 : 3));
    for (let at = 0; at < bytes.length; at += step) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(at) ^ 0x40, at);
      // Bytes 4 to 9 of a gzip file are its time, flags and system, which nothing depends on.
      if (passphrase !== undefined || at > 9) {
        await assert.rejects(read(changed, passphrase), Error, `byte ${at}`);
      }
      await assert.rejects(read(bytes.subarray(0, at), passphrase), Error, `cut at ${at}`);
    }
    await assert.rejects(read(Buffer.concat([bytes, bytes]), passphrase, 1 << 20));
  });
}

test("a sealed archive needs its passphrase", async () => {
  const bytes = await pack("right");
  await assert.rejects(
    read(bytes),
    new CommandFailure("the snapshot is encrypted; give its --passphrase-file"),
  );
  await assert.rejects(read(bytes, "wrong"), { message: /passphrase/ });
});

for (const path of [
  "../etc/passwd",
  "/etc/passwd",
  "pki/../../x",
  "cluster.json/x",
  "store/x",
  "",
]) {
  test(`an archive with the file "${path}" is refused`, async () => {
    const bytes = await pack(undefined, { files: [{ path, mode: 0o600, sha256: "" }] });
    await assert.rejects(read(bytes), { message: "the snapshot does not say what it contains" });
  });
}

test("an archive of another format says who wrote it", async () => {
  const bytes = await pack(undefined, { format: 9 as 1, version: "9.0" });
  await assert.rejects(read(bytes), { message: /format 9.*written by 9\.0/ });
});

test("an archive whose files differ from its manifest is refused", async () => {
  const other = { path: "pki/ca.key", mode: 0o600, sha256: sha256(Buffer.from("x")) };
  await assert.rejects(read(await pack(undefined, { files: [other] })), { message: /checksum/ });
  await assert.rejects(read(await pack(undefined, { files: [] })), { message: /does not name/ });
  const more = [...manifest.files, { ...other, path: "pki/sa.key" }];
  await assert.rejects(read(await pack(undefined, { files: more })), { message: /lacks pki\/sa/ });
});
