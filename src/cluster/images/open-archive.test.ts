import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { tarArchive } from "#/std/archive/tar.ts";
import { saveArchive } from "./open-archive.ts";

const folder = mkdtempSync(join(tmpdir(), "k8ts-archive-"));
after(() => rmSync(folder, { recursive: true }));
const target = join(folder, "target.tar");
const tar = tarArchive([{ name: "index.json", content: Buffer.from("{}"), mode: 0o644 }]);

const archives = { "web.tar": tar, "web.tar.gz": gzipSync(tar), "web.img": zstdCompressSync(tar) };
for (const [name, content] of Object.entries(archives)) {
  test(`saveArchive() decompresses ${name} by its content`, async () => {
    writeFileSync(join(folder, name), content);
    await saveArchive(join(folder, name), target);
    assert.ok(readFileSync(target).equals(tar));
  });
}

test("saveArchive() packs a folder with an OCI layout", async () => {
  const layout = join(folder, "layout");
  mkdirSync(layout);
  writeFileSync(join(layout, "oci-layout"), '{"imageLayoutVersion":"1.0.0"}');
  await saveArchive(layout, target);
  assert.match(readFileSync(target, "latin1"), /oci-layout.*imageLayoutVersion/s);
});

const faults: readonly (readonly [string, () => string, RegExp])[] = [
  [
    "a folder without a layout",
    () => folder,
    /is a folder without a file oci-layout: not an OCI image$/,
  ],
  ["another file", () => write("web.zip", "PK\x03\x04"), /^that is no archive of images: /],
  ["half of an archive", () => write("half.gz", gzipSync(tar).subarray(0, 40)), /decompressed: /],
  [
    "a name that is neither a file nor an image",
    () => "no.such/image:1",
    /^there is no file no\.such/,
  ],
];
for (const [name, source, message] of faults) {
  test(`saveArchive() refuses ${name}, and leaves no compressed copy`, async () => {
    await assert.rejects(saveArchive(source(), target), { name: "CommandFailure", message });
    assert.deepEqual(
      readdirSync(folder).filter((file) => file.startsWith("target.tar.")),
      [],
    );
  });
}

function write(name: string, content: string | Uint8Array): string {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}
