import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { duplexPair } from "node:stream";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { constants, deflateSync } from "node:zlib";
import { nextTurn } from "../time/clock.ts";
import { controlFrame, frameTypes, SpdyError, SpdyFrameDecoder, words } from "./frames.ts";
import { HeaderCompressor, HeaderDecompressor } from "./header-block.ts";
import { dictionary } from "./header-dictionary.ts";
import { SpdyConnection, type SpdyStream } from "./spdy-connection.ts";

test("the dictionary is the one of SPDY/3", () => {
  assert.equal(dictionary.length, 1423);
  assert.equal(
    createHash("sha256").update(dictionary).digest("hex"),
    "51d27341373f923f3cd88e1eb7162aeaa3723d7585ff2399201dc06498407f02",
  );
});

test("header blocks are read in the order in which they were compressed", async () => {
  const [compressor, decompressor] = [new HeaderCompressor(), new HeaderDecompressor()];
  for (const headers of [{ streamtype: "stdin" }, {}, { streamtype: "error", port: "80" }]) {
    assert.deepEqual(await decompressor.decompress(await compressor.compress(headers)), headers);
  }
  compressor.close();
  decompressor.close();
});

test("SpdyFrameDecoder takes bytes in pieces of any size", () => {
  const bytes = Buffer.from("8003000600000004000000010000000301000002aabb", "hex");
  const decoder = new SpdyFrameDecoder();
  const frames = [...bytes].flatMap((byte) => decoder.push(Buffer.from([byte])));
  assert.deepEqual(frames, [
    { kind: "control", type: 6, flags: 0, body: Buffer.from([0, 0, 0, 1]) },
    { kind: "data", streamId: 3, flags: 1, body: Buffer.from([0xaa, 0xbb]) },
  ]);
});

/** Two ends; the server handles streams with this function. */
function connected(onStream: (stream: SpdyStream) => void): [SpdyConnection, SpdyConnection] {
  const [a, b] = duplexPair();
  return [
    new SpdyConnection(a, { role: "client" }),
    new SpdyConnection(b, { role: "server", onStream }),
  ];
}

test("SpdyConnection carries streams both ways, each ending by itself", async () => {
  const [client, server] = connected((stream) => {
    const said: Buffer[] = [];
    stream.on("data", (part: Buffer) => said.push(part));
    stream.once("end", () => {
      stream.end(`${stream.headers["streamtype"]}: ${Buffer.concat(said).toString()}`);
    });
  });
  const streams = await Promise.all(
    ["stdin", "error"].map((streamType) => client.openStream({ streamType })),
  );
  const large = "x".repeat(300_000);
  for (const stream of streams) stream.end(large);
  assert.deepEqual(await Promise.all(streams.map((stream) => text(stream))), [
    `stdin: ${large}`,
    `error: ${large}`,
  ]);
  client.close();
  await Promise.all([client.ended, server.ended]);
});

test("SpdyConnection ends its streams when the peer disconnects", async () => {
  const [client, server] = connected((stream) => stream.write("hello"));
  const stream = await client.openStream({ streamType: "stdout" });
  const said = text(stream);
  await nextTurn();
  server.close();
  assert.equal(await said, "hello");
});

test("SpdyConnection refuses streams without a handler", async () => {
  const [a, b] = duplexPair();
  const client = new SpdyConnection(a, { role: "client" });
  new SpdyConnection(b, { role: "server" });
  await assert.rejects(client.openStream({}), { message: "the stream was reset (status 3)" });
});

/** Sends SYN_STREAM with each number, and collects the resets, as `number status`. */
async function resetsAfter(ids: readonly number[]): Promise<string[]> {
  const [a, b] = duplexPair();
  new SpdyConnection(b, { role: "server", onStream: () => undefined, maxStreams: 4 });
  const [decoder, compressor] = [new SpdyFrameDecoder(), new HeaderCompressor()];
  for (const id of ids) {
    const body = [words(id, 0), Buffer.of(0, 0), await compressor.compress({})];
    a.write(controlFrame(frameTypes.synStream, 0, Buffer.concat(body)));
  }
  compressor.close();
  a.write(controlFrame(frameTypes.ping, 0, words(1))); // Its response arrives last.
  const found: string[] = [];
  for await (const chunk of a) {
    for (const frame of decoder.push(chunk as Buffer)) {
      if (frame.kind === "data") continue;
      if (frame.type === frameTypes.ping) return found;
      if (frame.type !== frameTypes.rstStream) continue;
      found.push(`${frame.body.readUInt32BE(0)} ${frame.body.readUInt32BE(4)}`);
    }
  }
  return found;
}

test("SpdyConnection refuses stream numbers that were used or are its own", async () => {
  assert.deepEqual(await resetsAfter([1, 5, 5, 3, 2, 7]), ["5 1", "3 1", "2 1"]);
});

test("SpdyConnection refuses streams beyond the limit", async () => {
  assert.deepEqual(await resetsAfter([1, 3, 5, 7, 9, 11]), ["9 3", "11 3"]);
});

test("SpdyConnection counts only streams that are open", async () => {
  const [a, b] = duplexPair();
  const client = new SpdyConnection(a, { role: "client" });
  new SpdyConnection(b, {
    role: "server",
    onStream: (stream) => stream.resume().end(),
    maxStreams: 4,
  });
  for (let count = 0; count < 12; count++) await text((await client.openStream({})).end());
  client.close();
});

test("SpdyConnection does not reset a stream that the peer has reset", async () => {
  const [a, b] = duplexPair();
  const client = new SpdyConnection(a, { role: "client" });
  const [decoder, compressor] = [new SpdyFrameDecoder(), new HeaderCompressor()];
  const got: number[] = [];
  b.on("data", async (chunk: Buffer) => {
    for (const frame of decoder.push(chunk)) {
      if (frame.kind === "control") got.push(frame.type);
      if (frame.kind === "data" || frame.type !== frameTypes.synStream) continue;
      const reply = Buffer.concat([words(1), await compressor.compress({})]);
      b.write(controlFrame(frameTypes.synReply, 0, reply));
      b.write(controlFrame(frameTypes.rstStream, 0, words(1, 5)));
    }
  });
  const stream = await client.openStream({ streamType: "stdout" });
  await assert.rejects(text(stream), { message: "the stream was reset (status 5)" });
  client.close();
  for await (const _ of b.iterator({ destroyOnReturn: false }));
  compressor.close();
  assert.deepEqual(got, [frameTypes.synStream, frameTypes.goAway]);
});

const malformed: readonly (readonly [name: string, block: Buffer])[] = [
  ["bytes that zlib does not take", Buffer.from("not zlib")],
  ["more headers than it has", deflate(Buffer.of(0, 0, 0, 9))],
  ["a name that is cut off", deflate(Buffer.of(0, 0, 0, 1, 0, 0, 1, 0, 0x61))],
  ["more headers than are allowed", deflate(Buffer.concat([words(1001), Buffer.alloc(8 * 1001)]))],
  ["zeros without end", deflate(Buffer.alloc(64 << 20))],
];

function deflate(bytes: Buffer): Buffer {
  return deflateSync(bytes, { dictionary, finishFlush: constants.Z_SYNC_FLUSH });
}

for (const [name, block] of malformed) {
  test(`HeaderDecompressor refuses ${name}`, async () => {
    const decompressor = new HeaderDecompressor();
    await assert.rejects(decompressor.decompress(block), SpdyError);
    decompressor.close();
  });
}

test("HeaderDecompressor keeps names such as __proto__", async () => {
  const pair = ["__proto__", "a"].map((text) =>
    Buffer.concat([words(text.length), Buffer.from(text)]),
  );
  const decompressor = new HeaderDecompressor();
  const headers = await decompressor.decompress(deflate(Buffer.concat([words(1), ...pair])));
  decompressor.close();
  assert.deepEqual(Object.entries(headers), [["__proto__", "a"]]);
});
