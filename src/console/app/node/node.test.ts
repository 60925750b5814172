import assert from "node:assert/strict";
import { Buffer as NodeBuffer } from "node:buffer";
import { createHash } from "node:crypto";
import * as nodePath from "node:path";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import * as page from "./buffer.ts";
import * as fs from "./fs.ts";
import * as path from "./path.ts";
import { sha256 } from "./sha256.ts";
import * as small from "./small-modules.ts";

test("paths are those of Node", () => {
  const parts = [
    "",
    ".",
    "..",
    "a",
    "a/",
    "/",
    "/a/../b",
    "a//b.c",
    "../x",
    "/a/b/",
    "a.tar.gz",
    ".x",
  ];
  for (const one of parts) {
    assert.equal(path.normalize(one), nodePath.posix.normalize(one), `normalize(${one})`);
    assert.equal(path.dirname(one), nodePath.posix.dirname(one), `dirname(${one})`);
    assert.equal(path.basename(one), nodePath.posix.basename(one), `basename(${one})`);
    assert.equal(path.extname(one), nodePath.posix.extname(one), `extname(${one})`);
    for (const other of parts) {
      assert.equal(
        path.join(one, other),
        nodePath.posix.join(one, other),
        `join(${one}, ${other})`,
      );
      const [from, to] = [`/r/${one}`, `/r/${other}`];
      assert.equal(path.relative(from, to), nodePath.posix.relative(from, to), `${from} ${to}`);
      assert.equal(path.resolve("/q", one, other), nodePath.posix.resolve("/q", one, other));
    }
  }
});

test("sha256() is that of Node, at every length around a block", () => {
  for (let length = 0; length < 200; length++) {
    const bytes = Uint8Array.from({ length }, (_, index) => (index * 7 + length) & 0xff);
    const expected = createHash("sha256").update(bytes).digest("hex");
    assert.equal(page.Buffer.from(sha256(bytes)).toString("hex"), expected, `${length} bytes`);
  }
});

test("Buffer has the encodings of Node", () => {
  const texts = ["", "a", "ab", "abc", "容器 é\u0000\u007f", "\ud83d\ude00", "\ufeffx"];
  for (const text of texts) {
    const [ours, theirs] = [page.Buffer.from(text), NodeBuffer.from(text)];
    assert.equal(page.Buffer.byteLength(text), theirs.length);
    for (const encoding of ["utf8", "base64", "base64url", "hex", "latin1"] as const) {
      const encoded = theirs.toString(encoding);
      assert.equal(ours.toString(encoding), encoded, encoding);
      const back = page.Buffer.from(encoded, encoding);
      assert.deepEqual([...back], [...NodeBuffer.from(encoded, encoding)], encoding);
    }
  }
  const odd = "YW\nJj-_ =";
  assert.deepEqual([...page.Buffer.from(odd, "base64")], [...NodeBuffer.from(odd, "base64")]);
  const joined = page.Buffer.concat([page.Buffer.from("a"), Uint8Array.of(98)]);
  assert.equal(joined.subarray(1).toString(), "b");
  assert.equal(joined.equals(NodeBuffer.from("ab")), true);
  const number = page.Buffer.alloc(6);
  number.writeUInt32BE(0xfedcba98, 1);
  assert.deepEqual([number.readUInt32BE(1), number.readUInt16LE(1)], [0xfedcba98, 0xdcfe]);
  assert.equal(page.isUtf8(page.Buffer.from([0xff])), false);
});

test("the page's files have the errors of Node", () => {
  fs.mkdirSync("/t/a", { recursive: true });
  fs.writeFileSync("/t/a/x.yaml", "one");
  assert.equal(fs.readFileSync("/t/a/x.yaml", "utf8"), "one");
  assert.deepEqual(fs.readdirSync("/t"), ["a"]);
  assert.deepEqual(fs.globSync("/t/a/*.yaml"), ["/t/a/x.yaml"]);
  fs.renameSync("/t/a/x.yaml", "/t/y");
  assert.deepEqual([fs.existsSync("/t/a/x.yaml"), fs.existsSync("/t/y")], [false, true]);
  assert.throws(() => fs.readFileSync("/t/none"), {
    code: "ENOENT",
    message: "ENOENT: no such file or directory, open '/t/none'",
  });
  assert.throws(() => fs.readFileSync("/t"), { code: "EISDIR" });
  fs.rmSync("/t");
  assert.equal(fs.existsSync("/t/y"), false);
});

test("isDeepStrictEqual() is that of Node for JSON", () => {
  const values = [1, "1", null, [], {}, [1], { a: 1 }, { a: [1, { b: null }] }, { b: 1 }];
  for (const a of values) {
    for (const b of values) {
      const [x, y] = [structuredClone(a), structuredClone(b)];
      assert.equal(small.isDeepStrictEqual(x, y), isDeepStrictEqual(x, y), JSON.stringify([a, b]));
    }
  }
});
