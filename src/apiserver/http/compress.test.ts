import assert from "node:assert/strict";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import {
  type ListItem,
  type ListPieces,
  noBytes,
  wholeCut,
} from "#/machinery/codec/shape/list-pieces.ts";
import { randomInt, seededRandom } from "#/std/base/random.ts";
import { bodyChunks, type Exchange, type ReadyBody } from "../model/exchange.ts";
import { compress } from "./compress.ts";

const item = (text: string, lead = ""): ListItem => ({
  lead: Buffer.from(lead),
  ...wholeCut(Buffer.from(text)),
});

const listOf = (items: readonly ListItem[]): ReadyBody => {
  const ends = { head: Buffer.from("["), separator: Buffer.from(","), tail: Buffer.from("]") };
  return { type: "list", list: { ...ends, items } satisfies ListPieces };
};

const bytesOf = (...chunks: readonly Uint8Array[]): ReadyBody => ({ type: "bytes", chunks });

async function send(body: ReadyBody, accepted: string, filter = compress()) {
  const exchange = { headers: { "accept-encoding": accepted } } as unknown as Exchange;
  const headers = { "content-type": "application/json", vary: "Accept" };
  const reply = await filter(exchange, async () => ({ status: 200, headers, body }));
  assert(reply.body.type === "bytes" || reply.body.type === "list");
  return { headers: reply.headers, bytes: Buffer.concat(bodyChunks(reply.body)) };
}

const big = `{"text":"${"pod ".repeat(2000)}"}`;
const huge = `{"text":"${"pod ".repeat(80_000)}"}`;
const bigItems = Array.from({ length: 20 }, () => item(big));
const smallItems = Array.from({ length: 40_000 }, (_, index) => item("item", `${index % 7} `));
const mixed = Array.from({ length: 40 }, (_, index) =>
  item(["small", big, huge][index % 3] ?? "", "row ".repeat(index % 5 === 0 ? 400 : 1)),
);
const document = Buffer.alloc(200_000, "pod ");

const cases: readonly { name: string; body: ReadyBody; accepted?: string; zipped: boolean }[] = [
  { name: "a list", body: listOf(bigItems), zipped: true },
  { name: "the same list again", body: listOf(bigItems), accepted: "br, gzip;q=0.5", zipped: true },
  { name: "a list of small items", body: listOf(smallItems), zipped: true },
  { name: "a list of items of all sizes", body: listOf(mixed), zipped: true },
  { name: "a list that is only its head", body: listWithHead(document), zipped: true },
  {
    name: "many small chunks",
    body: bytesOf(...smallItems.map(() => document.subarray(0, 9))),
    zipped: true,
  },
  { name: "a document", body: bytesOf(document), zipped: true },
  {
    name: "a document of several pieces",
    body: bytesOf(Buffer.alloc(700_000, "pod ")),
    zipped: true,
  },
  {
    name: "a list for a client without gzip",
    body: listOf(bigItems),
    accepted: "identity",
    zipped: false,
  },
  { name: "a small list", body: listOf(bigItems.slice(0, 2)), zipped: false },
  { name: "an empty list", body: listOf([]), zipped: false },
  { name: "a small body", body: bytesOf(Buffer.from(big)), zipped: false },
];

function listWithHead(head: Uint8Array): ReadyBody {
  return { type: "list", list: { head, items: [], separator: noBytes, tail: noBytes } };
}

for (const { name, body, accepted = "gzip", zipped } of cases) {
  test(`compress sends ${name} ${zipped ? "as gzip" : "as it is"}`, async () => {
    const { headers, bytes } = await send(body, accepted);
    assert.equal(headers["content-encoding"], zipped ? "gzip" : undefined);
    assert.deepEqual(headers["vary"], zipped ? ["Accept", "Accept-Encoding"] : "Accept");
    assert((zipped ? gunzipSync(bytes) : bytes).equals(Buffer.concat(bodyChunks(body))));
  });
}

test("compress sends valid gzip, whatever objects were sent before and whatever text is between them", async () => {
  const random = seededRandom(5);
  const filter = compress();
  const objects = Array.from({ length: 30 }, (_, index) =>
    Buffer.from(`"${index}":${JSON.stringify(`${index} of many `.repeat(1000 + (index % 3)))}`),
  );
  for (let round = 0; round < 60; round++) {
    const chosen = objects.filter(() => randomInt(random, 4) > 0);
    const items = chosen.map((source, index): ListItem => {
      const age = `{"age":"${randomInt(random, 3)}s"`.repeat(index % 7 === 6 ? 200 : 1);
      const start = randomInt(random, 3) === 0 ? randomInt(random, 2) : 0;
      return { lead: Buffer.from(age), source, start, end: source.length - (index % 2) };
    });
    const { bytes } = await send(listOf(items), "gzip", filter);
    assert(gunzipSync(bytes).equals(Buffer.concat(bodyChunks(listOf(items)))), `round ${round}`);
  }
});

test("compress reduces a list of similar objects to a small part of its size", async () => {
  const filter = compress();
  const items = Array.from({ length: 50 }, (_, index) => {
    const env = Array.from({ length: 200 }, (__, line) => ({
      name: `V${line * 7919}`,
      value: line,
    }));
    return item(JSON.stringify({ name: `web-${index}`, env }));
  });
  const { bytes } = await send(listOf(items), "gzip", filter);
  assert(bytes.length < Buffer.concat(bodyChunks(listOf(items))).length / 40);
  assert.deepEqual((await send(listOf(items), "gzip", filter)).bytes, bytes);
});
