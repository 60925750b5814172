import assert from "node:assert/strict";
import { test } from "node:test";
import { HeadersTooLargeError, HpackDecoder, HpackError } from "./hpack-decoder.ts";
import { HpackEncoder } from "./hpack-encoder.ts";
import { unpackHuffman } from "./huffman.ts";

function unpack(hex: string): string | undefined {
  const input = Buffer.from(hex, "hex");
  const out = Buffer.alloc(2 * input.length);
  const size = unpackHuffman(input, 0, input.length, out);
  return size < 0 ? undefined : out.toString("latin1", 0, size);
}

const packed: readonly (readonly [hex: string, text: string | undefined])[] = [
  ["", ""],
  ["f1e3c2e5f23a6ba0ab90f4ff", "www.example.com"],
  ["a8eb10649cbf", "no-cache"],
  ["9d29ad171863c78f0b97c8e9ae82ae43d3", "https://www.example.com"],
  ["d07abe941054d444a8200595040b8166e082a62d1bff", "Mon, 21 Oct 2013 20:13:21 GMT"],
  [
    "94e7821dd7f2e6c7b335dfdfcd5b3960d5af27087f3672c1ab270fb5291f9587316065c003ed4ee5b1063d5007",
    "foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1",
  ],
];
for (const [hex, text] of packed) {
  test(`unpackHuffman() reads ${JSON.stringify(text)}`, () => assert.equal(unpack(hex), text));
}

for (const [name, hex] of [
  ["a byte of padding", "a8eb10649cbfff"],
  ["padding that isn't ones", "a8eb10649cbe"],
  ["the symbol that ends strings", "ffffffff"],
] as const) {
  test(`unpackHuffman() refuses ${name}`, () => assert.equal(unpack(hex), undefined));
}

/** RFC 7541, appendix C.4: three requests on one connection. */
const requests: readonly (readonly [hex: string, fields: readonly string[]])[] = [
  [
    "828684418cf1e3c2e5f23a6ba0ab90f4ff",
    [":method", "GET", ":scheme", "http", ":path", "/", ":authority", "www.example.com"],
  ],
  [
    "828684be5886a8eb10649cbf",
    [
      ...[":method", "GET", ":scheme", "http", ":path", "/", ":authority", "www.example.com"],
      ...["cache-control", "no-cache"],
    ],
  ],
  [
    "828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf",
    [
      ...[":method", "GET", ":scheme", "https", ":path", "/index.html"],
      ...[":authority", "www.example.com", "custom-key", "custom-value"],
    ],
  ],
];
test("HpackDecoder reads the requests of the specification's example", () => {
  const decoder = new HpackDecoder(1000);
  for (const [hex, fields] of requests) {
    assert.deepEqual(decoder.decode(Buffer.from(hex, "hex")), fields);
  }
});

for (const [name, hex] of [
  ["number of a field that isn't there", "be"],
  ["text that is cut off", "4085"],
  ["number that never ends", "ffffffffffffff"],
  ["table that is bigger than agreed", "3fe2ff7f"],
] as const) {
  test(`HpackDecoder refuses a ${name}`, () => {
    const decoder = new HpackDecoder(1000);
    assert.throws(() => decoder.decode(Buffer.from(hex, "hex")), HpackError);
  });
}

test("HpackDecoder refuses more than the limit, also if compressed", () => {
  const decoder = new HpackDecoder(100);
  assert.throws(() => decoder.decode(Buffer.alloc(4, 0x82)), HeadersTooLargeError);
});

const reply = (id: number): string[] => [
  ...[":status", "200", "audit-id", `${id}`, "cache-control", "no-cache, private"],
  ...[
    "content-type",
    "application/json",
    "content-length",
    `${id * 1000}`,
    "x-long",
    "y".repeat(300),
  ],
];

test("HpackEncoder output is read by HpackDecoder, and is shorter from the second time on", () => {
  const encoder = new HpackEncoder();
  const decoder = new HpackDecoder(10_000);
  const sizes = [1, 2, 3].map((id) => {
    const block = encoder.encode(reply(id));
    const size = block.length;
    assert.deepEqual(decoder.decode(Buffer.from(block)), reply(id));
    return size;
  });
  assert.ok((sizes[1] ?? 0) < 50 && sizes[1] === sizes[2], String(sizes));
});

test("HpackEncoder works with a full table, and with none", () => {
  const encoder = new HpackEncoder();
  const decoder = new HpackDecoder(10_000);
  for (let id = 0; id < 300; id++) {
    if (id === 200) encoder.setTableLimit(0);
    const fields = [...reply(1), `x-${id}`, "value"];
    assert.deepEqual(decoder.decode(Buffer.from(encoder.encode(fields))), fields);
  }
});
