import assert from "node:assert/strict";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { compress } from "./compress.ts";
import { bytesReply, type Exchange } from "./exchange.ts";

const big = Buffer.from(`{"text":"${"pod ".repeat(2000)}"}`);
const items = Array.from({ length: 20 }, () => [Buffer.from(","), big.subarray(1, -1)]).flat();
const many = Array.from({ length: 40_000 }, () => Buffer.from("item,"));

async function send(chunks: readonly Uint8Array[], accepted: string) {
  const exchange = { headers: { "accept-encoding": accepted } } as unknown as Exchange;
  const { headers, body } = await compress()(exchange, async () =>
    bytesReply(200, "application/json", chunks, { vary: "Accept" }),
  );
  assert(body.type === "bytes");
  return { headers, bytes: Buffer.concat(body.chunks) };
}

const cases = [
  { name: "a list", chunks: items, accepted: "gzip", zipped: true },
  { name: "a list once more", chunks: items, accepted: "br, gzip;q=0.5", zipped: true },
  { name: "many small chunks", chunks: many, accepted: "gzip", zipped: true },
  { name: "a list for who takes no gzip", chunks: items, accepted: "identity", zipped: false },
  { name: "a small body", chunks: [big], accepted: "gzip", zipped: false },
];

for (const { name, chunks, accepted, zipped } of cases) {
  test(`compress sends ${name} ${zipped ? "as gzip" : "as it is"}`, async () => {
    const { headers, bytes } = await send(chunks, accepted);
    assert.equal(headers["content-encoding"], zipped ? "gzip" : undefined);
    assert.deepEqual(headers["vary"], zipped ? ["Accept", "Accept-Encoding"] : "Accept");
    assert.deepEqual(zipped ? gunzipSync(bytes) : bytes, Buffer.concat(chunks));
  });
}
