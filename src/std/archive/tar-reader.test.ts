import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { readTar, TarError } from "./tar-reader.ts";
import { tarEnd, tarHeader, tarPadding, type WrittenEntry } from "./tar-writer.ts";

/** An archive in chunks of a size that cuts through headers. */
async function* inChunks(archive: Uint8Array, size = 777): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < archive.length; at += size) yield archive.subarray(at, at + size);
}

async function entriesOf(archive: Uint8Array): Promise<string[]> {
  const found: string[] = [];
  for await (const { kind, name, linkTo, content } of readTar(inChunks(archive))) {
    const parts: Uint8Array[] = [];
    for await (const part of content) parts.push(part);
    found.push(`${kind} ${name} ${linkTo} ${Buffer.concat(parts).length}`);
  }
  return found;
}

const long = `${"folder-of-a-long-name/".repeat(8)}file`;
const content = Buffer.alloc(1500, "x");

function archiveOf(entries: readonly WrittenEntry[]): Buffer {
  const parts = entries.flatMap((entry) =>
    entry.kind === "file"
      ? [tarHeader({ ...entry, sizeBytes: content.length }), content, tarPadding(content.length)]
      : [tarHeader(entry)],
  );
  return Buffer.concat([...parts, tarEnd]);
}

const written = archiveOf([
  { name: "plain", kind: "file", mode: 0o644 },
  { name: long, kind: "file", mode: 0o600, uid: 3_000_000 },
  { name: "ä/", kind: "folder", mode: 0o755 },
  { name: "link", kind: "symlink", linkTo: long, mode: 0o777 },
]);

test("readTar() reads what tarHeader() writes", async () => {
  assert.deepEqual(await entriesOf(written), [
    "file plain  1500",
    `file ${long}  1500`,
    "folder ä/  0",
    `symlink link ${long} 0`,
  ]);
});

test("tarHeader() writes what the program tar reads", () => {
  const listed = execFileSync("tar", ["tf", "-"], { input: written, env: { LC_ALL: "C.UTF-8" } });
  assert.deepEqual(listed.toString().trim().split("\n"), ["plain", long, "ä/", "link"]);
});

for (const format of ["gnu", "pax", "ustar", "v7"]) {
  test(`readTar() reads what the program tar writes as ${format}`, async () => {
    const folder = mkdtempSync(join(tmpdir(), "tar-"));
    try {
      const path = format === "v7" ? "short/file" : long;
      mkdirSync(join(folder, dirname(path)), { recursive: true });
      writeFileSync(join(folder, path), content);
      symlinkSync("target", join(folder, "link"));
      const archive = execFileSync("tar", [`--format=${format}`, "-cf", "-", path, "link"], {
        cwd: folder,
      });
      const expected = [`file ${path}  1500`, "symlink link target 0"];
      assert.deepEqual(await entriesOf(archive), expected);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}

test("readTar() skips unread content", async () => {
  const names: string[] = [];
  for await (const { name } of readTar(inChunks(written))) names.push(name);
  assert.deepEqual(names, ["plain", long, "ä/", "link"]);
});

for (const [name, archive, message] of [
  ["an archive that is cut off", written.subarray(0, 900), "unexpected EOF"],
  ["a header that is cut off", written.subarray(0, 100), "unexpected EOF"],
  ["what is no archive", Buffer.alloc(600, "a"), "archive/tar: invalid tar header"],
] as const) {
  test(`readTar() refuses ${name}`, async () => {
    await assert.rejects(entriesOf(archive), new TarError(message));
  });
}

/** An archive of one entry, with one byte of its size changed and a valid checksum. */
function withSize(byte: string): Buffer {
  const header = tarHeader({ name: "a", kind: "file", mode: 0o644, sizeBytes: 8 } as WrittenEntry);
  header.write(byte, 130);
  header.write(" ".repeat(8), 148);
  const sum = header.reduce((total, each) => total + each, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return Buffer.concat([header, tarEnd]);
}

for (const byte of ["9", "-", "x", "."]) {
  test(`readTar() refuses a size with ${byte} in it`, async () => {
    const message = "archive/tar: invalid tar header";
    await assert.rejects(entriesOf(withSize(byte)), new TarError(message));
  });
}

test("readTar() yields nothing for an empty input", async () => {
  assert.deepEqual(await entriesOf(Buffer.alloc(0)), []);
});
