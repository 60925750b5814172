import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { tarArchive } from "#/std/archive/tar.ts";
import { archiveFormat, headBytes } from "./archive-format.ts";

const tar = tarArchive([{ name: "manifest.json", content: Buffer.from("[]"), mode: 0o644 }]);
const cases = [
  ["tar", tar],
  ["gzip", gzipSync(tar)],
  ["zstd", zstdCompressSync(tar)],
  ["unknown", Buffer.from("PK\x03\x04")],
  ["unknown", Buffer.alloc(0)],
  ["unknown", Buffer.alloc(1024)],
] as const;
for (const [expected, content] of cases) {
  test(`archiveFormat() of ${content.length} bytes is ${expected}`, () => {
    assert.equal(archiveFormat(content.subarray(0, headBytes)), expected);
  });
}
