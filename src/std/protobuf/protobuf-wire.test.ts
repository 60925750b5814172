import assert from "node:assert/strict";
import test from "node:test";
import {
  type Int64,
  WireError,
  WireReader,
  WireWriter,
  wireKey,
  wireTypes,
} from "./protobuf-wire.ts";

function written(write: (writer: WireWriter) => void): Uint8Array {
  const writer = new WireWriter(16);
  write(writer);
  return writer.finish();
}

const integers: Int64[] = [
  0,
  1,
  127,
  128,
  16383,
  16384,
  2 ** 21 - 1,
  2 ** 21,
  2 ** 28 - 1,
  2 ** 28,
  2 ** 32 - 1,
  2 ** 32,
  2 ** 35,
  2 ** 53 - 1,
  2n ** 53n,
  2n ** 63n - 1n,
  -1,
  -128,
  -(2 ** 31),
  -(2 ** 53) + 1,
  -(2n ** 53n),
  -(2n ** 63n),
];
for (const value of integers) {
  test(`WireWriter.int64 and WireReader.int64 agree on ${value}`, () => {
    const bytes = written((writer) => writer.int64(value));
    const reader = new WireReader(bytes);
    assert.equal(reader.int64(), value);
    assert.equal(reader.pos, bytes.length);
    const fixed = new WireReader(written((writer) => writer.fixed64(value)));
    assert.equal(fixed.sfixed64(), value);
  });
}

test("WireReader.uint64 is exact up to 64 bits", () => {
  for (const value of [0, 2 ** 53 - 1, 2n ** 53n, 2n ** 64n - 1n]) {
    assert.equal(new WireReader(written((writer) => writer.uint64(value))).uint64(), value);
    assert.equal(new WireReader(written((writer) => writer.fixed64(value))).fixed64(), value);
  }
});

test("WireReader.int32 truncates a longer varint as Go does", () => {
  assert.equal(new WireReader(written((writer) => writer.int64(-5))).int32(), -5);
  assert.equal(new WireReader(written((writer) => writer.int64(2 ** 32 + 7))).int32(), 7);
});

for (const text of [
  "",
  "a",
  "kube-system",
  "é",
  "日本語",
  "x".repeat(20),
  "x".repeat(21),
  "😀".repeat(90),
]) {
  test(`string() round-trips ${JSON.stringify(text.slice(0, 12))} (${text.length})`, () => {
    const bytes = written((writer) => writer.string(text));
    assert.equal(new WireReader(bytes).string(), text);
  });
}

test("a nested message is its length and its content", () => {
  const bytes = written((writer) => {
    const mark = writer.mark();
    writer.string("x".repeat(300));
    writer.uint32(wireKey(1, wireTypes.bytes));
    writer.length(mark);
    writer.uint32(wireKey(16, wireTypes.bytes));
  });
  const reader = new WireReader(bytes);
  assert.equal(reader.key(), wireKey(16, wireTypes.bytes));
  assert.equal(reader.length(), bytes.length);
  assert.equal(reader.key(), wireKey(1, wireTypes.bytes));
  assert.equal(reader.string().length, 300);
});

test("float() and double() round-trip", () => {
  assert.equal(new WireReader(written((writer) => writer.double(-1.1))).double(), -1.1);
  assert.equal(new WireReader(written((writer) => writer.float(1.5))).float(), 1.5);
});

test("skip() skips every wire type, groups included", () => {
  const bytes = Uint8Array.of(0x0b, 0x10, 0x80, 0x01, 0x1a, 0x01, 0xff, 0x0c, 0x25, 1, 2, 3, 4);
  const reader = new WireReader(bytes);
  reader.skip(reader.key());
  assert.equal(reader.pos, 8);
  reader.skip(reader.key());
  assert.equal(reader.pos, bytes.length);
});

const bad: { name: string; bytes: number[]; read: (reader: WireReader) => unknown }[] = [
  { name: "a cut varint", bytes: [0x80], read: (reader) => reader.int64() },
  { name: "a cut 32-bit varint", bytes: [0x80, 0x80], read: (reader) => reader.uint32() },
  { name: "an eleven byte varint", bytes: Array(11).fill(0x80), read: (reader) => reader.int64() },
  { name: "a length beyond the end", bytes: [5, 1, 2], read: (reader) => reader.string() },
  {
    name: "a negative length",
    bytes: [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1],
    read: (reader) => reader.view(),
  },
  {
    name: "a length of 62 bits",
    bytes: [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x3f],
    read: (r) => r.view(),
  },
  { name: "field number 0", bytes: [0x02, 0], read: (reader) => reader.key() },
  {
    name: "a key beyond 32 bits",
    bytes: [0xff, 0xff, 0xff, 0xff, 0xff, 1],
    read: (reader) => reader.key(),
  },
  { name: "a stray end of group", bytes: [0x0c], read: (reader) => reader.skip(reader.key()) },
  { name: "an open group", bytes: [0x0b, 0x0b], read: (reader) => reader.skip(reader.key()) },
  {
    name: "groups without end",
    bytes: Array(200).fill(0x0b),
    read: (reader) => reader.skip(reader.key()),
  },
  { name: "wire type 6", bytes: [0x0e, 0], read: (reader) => reader.skip(reader.key()) },
  { name: "a cut double", bytes: [1, 2, 3], read: (reader) => reader.double() },
  { name: "a cut fixed32", bytes: [1, 2, 3], read: (reader) => reader.fixed32() },
];
for (const { name, bytes, read } of bad) {
  test(`WireReader refuses ${name}`, () => {
    assert.throws(() => read(new WireReader(Uint8Array.from(bytes))), WireError);
  });
}

test("WireWriter.take() returns a copy and resets the writer, after large messages too", () => {
  const writer = new WireWriter(16);
  const write = (size: number): Uint8Array => {
    writer.raw(new Uint8Array(size).fill(size % 251));
    return writer.take();
  };
  const sizes = [3, 0, 100, 1_000_000, 7];
  const taken = sizes.map(write);
  assert.deepEqual(
    taken.map(({ length }) => length),
    sizes,
  );
  for (const bytes of taken) assert.ok(bytes.every((byte) => byte === bytes.length % 251));
});
