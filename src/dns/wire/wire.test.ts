import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { makeQuery } from "./make-query.ts";
import { decodeQuery, MessageError, readQuestion } from "./query.ts";
import { readAnswers } from "./read-answers.ts";
import { type DnsAnswer, type DnsRecord, rcodes, recordTypes } from "./record.ts";
import { bareReply, encodeReply, errorAnswer, replyLimit } from "./reply.ts";

/** A query with an OPT record. */
function ednsQuery(name: string, udpSize: number, version = 0): Buffer {
  const opt = Buffer.from([0, 0, 41, udpSize >> 8, udpSize & 255, 0, version, 0, 0, 0, 0]);
  const query = Buffer.concat([makeQuery(name, recordTypes.A), opt]);
  query.writeUInt16BE(1, 10);
  return query;
}

function addresses(count: number): DnsAnswer {
  const answers = Array.from({ length: count }, (_, index): DnsRecord => {
    return { name: "a.example", ttl: 30, type: "A", address: `10.0.${index >> 8}.${index & 255}` };
  });
  return { ...errorAnswer(rcodes.NoError), answers };
}

test("decodeQuery() reads the question, the flags and EDNS", () => {
  const { question, edns, recursionDesired, opcode } = decodeQuery(ednsQuery("A.Example", 1232));
  assert.equal(question.name, "A.Example");
  assert.deepEqual([question.type, question.class, opcode, recursionDesired], [1, 1, 0, true]);
  assert.deepEqual(edns, { udpSize: 1232, version: 0, dnssec: false });
});

for (const [name, message] of [
  ["nothing", Buffer.alloc(0)],
  ["a short header", Buffer.alloc(11)],
  ["no question", Buffer.alloc(12)],
  ["a reply", Buffer.from([0, 0, 0x80, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1])],
  [
    "a name that leads to itself",
    Buffer.from([0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0xc0, 12, 0, 1, 0, 1]),
  ],
  ["a name without end", Buffer.from([0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 3, 97])],
] as const) {
  test(`decodeQuery() refuses ${name}`, () => {
    assert.throws(() => decodeQuery(message), MessageError);
  });
}

test("decodeQuery() throws only MessageError for random messages", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
      const message = Buffer.concat([Buffer.from([0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1]), bytes]);
      try {
        decodeQuery(message);
      } catch (error) {
        assert(error instanceof MessageError);
      }
    }),
  );
});

test("encodeReply() compresses names with pointers", () => {
  const request = makeQuery("a.example", recordTypes.A);
  const reply = encodeReply(request, decodeQuery(request), addresses(2), 512);
  assert.equal(reply.length, request.length + 2 * 16);
  assert.deepEqual(
    readAnswers(reply).map((record) => record.type === "A" && record.address),
    ["10.0.0.0", "10.0.0.1"],
  );
});

test("encodeReply() leaves out records that don't fit, and sets the truncated flag", () => {
  const request = makeQuery("a.example", recordTypes.A);
  const query = decodeQuery(request);
  const reply = encodeReply(request, query, addresses(100), replyLimit(query, "udp"));
  assert(reply.length <= 512);
  assert.equal(reply.readUInt16BE(2) & 0x0200, 0x0200);
  assert.equal(reply.readUInt16BE(6), readAnswers(reply).length);
  const whole = encodeReply(request, query, addresses(100), replyLimit(query, "tcp"));
  assert.equal(readAnswers(whole).length, 100);
});

test("encodeReply() replies to EDNS with EDNS, and to bad versions with BADVERS", () => {
  const request = ednsQuery("a.example", 4096, 1);
  const query = decodeQuery(request);
  const reply = encodeReply(request, query, errorAnswer(rcodes.BadVers), replyLimit(query, "udp"));
  assert.deepEqual([reply.readUInt16BE(2) & 15, reply.readUInt16BE(10)], [0, 1]);
  assert.equal(reply[readQuestion(reply).end + 5], 1);
});

test("encodeReply() writes every kind of record so that it can be read", () => {
  const name = "x.example";
  const answers: DnsRecord[] = [
    { name, ttl: 1, type: "AAAA", address: "fd00::1" },
    { name, ttl: 1, type: "CNAME", target: "y.example" },
  ];
  const request = makeQuery(name, recordTypes.ANY);
  const answer = { ...errorAnswer(rcodes.NoError), answers };
  const reply = encodeReply(request, decodeQuery(request), answer, 512);
  assert.deepEqual(readAnswers(reply), answers);
});

test("bareReply() replies only to invalid queries", () => {
  const reply = bareReply(Buffer.from([1, 2, 1, 0, 0, 9, 0, 0, 0, 0, 0, 0]), rcodes.FormErr);
  assert.deepEqual([reply?.readUInt16BE(0), (reply?.readUInt16BE(2) ?? 0) & 15], [0x0102, 1]);
  assert.equal(bareReply(Buffer.from([1, 2]), rcodes.FormErr), undefined);
  assert.equal(
    bareReply(Buffer.from([1, 2, 0x81, 0, 0, 0, 0, 0, 0, 0, 0, 0]), rcodes.FormErr),
    undefined,
  );
});

test("readAnswers() refuses a name of pointers to pointers", () => {
  const chain = Buffer.alloc(400);
  for (let at = 2; at < chain.length; at += 2) chain.writeUInt16BE(0xc000 + 15 + at, at);
  const head = Buffer.from([0, 0, 0x80, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 1]);
  // The record's data is the pointer chain, and its name points to the end of it.
  const record = Buffer.from([0xc1, 0x9f, 0, 5, 0, 1, 0, 0, 0, 0, 0, 0]);
  head.writeUInt16BE(1, 6);
  assert.throws(() => readAnswers(Buffer.concat([head, chain, record])), MessageError);
});
