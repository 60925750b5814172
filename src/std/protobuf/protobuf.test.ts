import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { optional } from "./optional-field.ts";
import { map, message, nested, oneof, repeated } from "./protobuf.ts";
import {
  bigInt64,
  bigUint64,
  bool,
  bytes,
  bytesView,
  double,
  enumeration,
  int32,
  int64,
  string,
  uint32,
  uint64,
} from "./protobuf-field.ts";
import { WireError } from "./protobuf-wire.ts";

const Inner = message({ name: string(1), count: int32(2) });

const Everything = message({
  text: string(1),
  data: bytes(2),
  flag: bool(3),
  small: int32(4),
  unsigned: uint32(5),
  revision: int64(6),
  size: uint64(7),
  nanoseconds: bigInt64(8),
  identifier: bigUint64(9),
  ratio: double(10),
  state: enumeration(11, { NONE: 0, READY: 1, GONE: 2 }),
  inner: nested(12, Inner),
  limit: optional(int32(13)),
  names: repeated(string(14)),
  numbers: repeated(int64(15)),
  inners: repeated(nested(16, Inner)),
  labels: map(17, string, string),
  choice: oneof({ number: int64(18), inner: nested(19, Inner) }),
  byName: map(20, string, (number) => nested(number, Inner)),
});

const absent = {
  text: "",
  data: new Uint8Array(0),
  flag: false,
  small: 0,
  unsigned: 0,
  revision: 0,
  size: 0,
  nanoseconds: 0n,
  identifier: 0n,
  ratio: 0,
  state: "NONE",
  inner: undefined,
  limit: undefined,
  names: [],
  numbers: [],
  inners: [],
  labels: {},
  choice: undefined,
  byName: {},
};

const hex = (data: Uint8Array): string => Buffer.from(data).toString("hex");
const fromHex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "hex"));

// The bytes that protoc's encoders write for these values.
const cases: readonly {
  name: string;
  value: Parameters<typeof Everything.encode>[0];
  wire: string;
}[] = [
  { name: "nothing", value: {}, wire: "" },
  {
    name: "defaults",
    value: { text: "", data: new Uint8Array(0), small: 0, state: "NONE" },
    wire: "",
  },
  { name: "text", value: { text: "hé" }, wire: "0a0368c3a9" },
  { name: "bytes", value: { data: new Uint8Array([0, 255]) }, wire: "120200ff" },
  { name: "a negative int32", value: { small: -1 }, wire: "20ffffffffffffffffff01" },
  { name: "an int64", value: { revision: 2 ** 53 - 1 }, wire: "30ffffffffffffff0f" },
  { name: "all 64 bits", value: { identifier: 2n ** 64n - 1n }, wire: "48ffffffffffffffffff01" },
  { name: "the least int64", value: { nanoseconds: -(2n ** 63n) }, wire: "4080808080808080808001" },
  { name: "a double", value: { ratio: 0.5 }, wire: "51000000000000e03f" },
  { name: "an enum", value: { state: "GONE" }, wire: "5802" },
  { name: "an enum without a name", value: { state: 7 }, wire: "5807" },
  { name: "an empty message", value: { inner: {} }, wire: "6200" },
  { name: "a message", value: { inner: { name: "a", count: 1 } }, wire: "62050a01611001" },
  { name: "a present default", value: { limit: 0 }, wire: "6800" },
  { name: "texts", value: { names: ["a", ""] }, wire: "7201617200" },
  { name: "packed numbers", value: { numbers: [1, 0, 300] }, wire: "7a040100ac02" },
  { name: "a map", value: { labels: { a: "b" } }, wire: "8a01060a0161120162" },
  { name: "a choice", value: { choice: { number: 0 } }, wire: "900100" },
];

describe("message()", () => {
  for (const { name, value, wire } of cases) {
    test(`encodes and decodes ${name}`, () => {
      assert.equal(hex(Everything.encode(value)), wire);
      const { inner = undefined, ...rest } = value;
      const decoded = inner ? { inner: { name: "", count: 0, ...inner } } : {};
      assert.deepEqual(Everything.decode(fromHex(wire)), { ...absent, ...rest, ...decoded });
    });
  }

  const reads: readonly { name: string; wire: string; value: object }[] = [
    {
      name: "skips unknown fields of every wire type",
      wire: "a0ff0301a1ff030000000000000000a2ff030100a5ff0300000000",
      value: {},
    },
    { name: "skips a field in another wire type", wire: "080a", value: {} },
    { name: "reads numbers that are not packed", wire: "78017802", value: { numbers: [1, 2] } },
    { name: "uses the last scalar", wire: "0a01610a0162", value: { text: "b" } },
    {
      name: "merges a message sent in parts",
      wire: "62030a016162021001",
      value: { inner: { name: "a", count: 1 } },
    },
    {
      name: "uses the last choice",
      wire: "9001019a01020a00",
      value: { choice: { inner: { name: "", count: 0 } } },
    },
  ];
  for (const { name, wire, value } of reads) {
    test(name, () => {
      assert.deepEqual(Everything.decode(fromHex(wire)), { ...absent, ...value });
    });
  }

  test("treats __proto__ as an ordinary map key", () => {
    const labels = JSON.parse('{"__proto__":"x"}') as Record<string, string>;
    const decoded = Everything.decode(Everything.encode({ labels }));
    assert.deepEqual(Object.entries(decoded.labels), [["__proto__", "x"]]);
    assert.equal(Object.getPrototypeOf(decoded.labels), Object.prototype);
  });

  test("returns a view of the message for bytesView()", () => {
    const wire = message({ data: bytesView(2) }).encode({ data: new Uint8Array([1]) });
    const { data } = message({ data: bytesView(2) }).decode(wire);
    wire.fill(9);
    assert.deepEqual(data, new Uint8Array([9]));
  });

  test("copies bytes out of the message", () => {
    const wire = Everything.encode({ data: new Uint8Array([1]) });
    const { data } = Everything.decode(wire);
    wire.fill(9);
    assert.deepEqual(data, new Uint8Array([1]));
  });

  const refused = [
    "0a",
    "0a05",
    "0aff",
    "6202",
    "62020a05",
    "7a0280",
    "30ffffffffffffffff7f",
    "00",
    "0c",
    "ffffffffffffffffffffff01",
  ];
  for (const wire of refused) {
    test(`refuses ${wire}`, () => {
      assert.throws(() => Everything.decode(fromHex(wire)), WireError);
    });
  }

  test("refuses to write an integer beyond 2^53", () => {
    assert.throws(() => Everything.encode({ revision: 2 ** 53 }), WireError);
  });
});

test("message() reads back what it wrote", () => {
  const own = { noNullPrototype: true };
  const inner = fc.record({ name: fc.string(), count: fc.integer() }, own);
  const value = fc.record({
    text: fc.string({ unit: "binary" }),
    data: fc.uint8Array(),
    revision: fc.maxSafeInteger(),
    size: fc.maxSafeNat(),
    nanoseconds: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    identifier: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    ratio: fc.double({ noNaN: true }),
    inner: fc.option(inner, { nil: undefined }),
    limit: fc.option(fc.integer(), { nil: undefined }),
    names: fc.array(fc.string()),
    numbers: fc.array(fc.maxSafeInteger()),
    inners: fc.array(inner),
    labels: fc.dictionary(fc.string(), fc.string(), own),
    choice: fc.option(
      fc.oneof(fc.record({ number: fc.integer() }, own), fc.record({ inner }, own)),
      {
        nil: undefined,
      },
    ),
  });
  fc.assert(
    fc.property(value, (written) => {
      // Lone surrogates have no UTF-8, and -0 is the default of a double.
      const clean = { ...written, text: written.text.toWellFormed(), ratio: written.ratio + 0 };
      assert.deepEqual(Everything.decode(Everything.encode(clean)), { ...absent, ...clean });
    }),
  );
});

test("message() reads garbage or throws WireError", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (garbage) => {
      try {
        Everything.decode(garbage);
      } catch (error) {
        assert.ok(error instanceof WireError);
      }
    }),
    { numRuns: 2000 },
  );
});
