import assert from "node:assert/strict";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { randomInt, seededRandom } from "#/std/base/random.ts";
import { bytesReply, type Exchange } from "../model/exchange.ts";
import { compress } from "./compress.ts";

const big = Buffer.from(`{"text":"${"pod ".repeat(2000)}"}`);
const items = Array.from({ length: 20 }, () => [Buffer.from(","), big.subarray(1, -1)]).flat();
const many = Array.from({ length: 40_000 }, () => Buffer.from("item,"));

async function send(chunks: readonly Uint8Array[], accepted: string, filter = compress()) {
  const exchange = { headers: { "accept-encoding": accepted } } as unknown as Exchange;
  const { headers, body } = await filter(exchange, async () =>
    bytesReply(200, "application/json", chunks, { vary: "Accept" }),
  );
  assert(body.type === "bytes");
  return { headers, bytes: Buffer.concat(body.chunks) };
}

const cases = [
  { name: "a list", chunks: items, accepted: "gzip", zipped: true },
  { name: "a list once more", chunks: items, accepted: "br, gzip;q=0.5", zipped: true },
  { name: "many small chunks", chunks: many, accepted: "gzip", zipped: true },
  {
    name: "one big chunk",
    chunks: [Buffer.alloc(700_000, "pod ")],
    accepted: "gzip",
    zipped: true,
  },
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

test("compress sends objects right, whichever were sent before and whatever stands between them", async () => {
  const random = seededRandom(5);
  const filter = compress();
  const objects = Array.from({ length: 30 }, (_, index) =>
    Buffer.from(`"${index}":${JSON.stringify(`${index} of many `.repeat(1000 + (index % 3)))}`),
  );
  for (let round = 0; round < 60; round++) {
    const chosen = objects.filter(() => randomInt(random, 4) > 0);
    const chunks = chosen.flatMap((object, index) => {
      const age = Buffer.from(
        `{"age":"${randomInt(random, 3)}s"`.repeat(index % 7 === 6 ? 200 : 1),
      );
      const part = randomInt(random, 3) === 0 ? object.subarray(randomInt(random, 2)) : object;
      return [age, part, ...(index % 5 === 4 ? [] : [Buffer.from("}")])];
    });
    const { bytes } = await send(chunks, "gzip", filter);
    assert(gunzipSync(bytes).equals(Buffer.concat(chunks)), `round ${round}`);
  }
});

test("compress makes a list of objects that are alike a small part of its size", async () => {
  const [filter, chunks] = [compress(), [] as Buffer[]];
  for (let index = 0; index < 50; index++) {
    const env = Array.from({ length: 200 }, (_, line) => ({
      name: `V${line * 7919}`,
      value: line,
    }));
    chunks.push(Buffer.from(","), Buffer.from(JSON.stringify({ name: `web-${index}`, env })));
  }
  const { bytes } = await send(chunks, "gzip", filter);
  assert(bytes.length < Buffer.concat(chunks).length / 40);
  assert.deepEqual((await send(chunks, "gzip", filter)).bytes, bytes);
});
