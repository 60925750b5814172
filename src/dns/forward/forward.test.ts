import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "#/testing/fake-clock.ts";
import { makeQuery } from "../wire/make-query.ts";
import { decodeQuery } from "../wire/query.ts";
import { readAnswers } from "../wire/read-answers.ts";
import { type DnsAnswer, rcodes, recordTypes } from "../wire/record.ts";
import { encodeReply, errorAnswer } from "../wire/reply.ts";
import type { Upstream } from "./exchange.ts";
import { Forwarder } from "./forwarder.ts";
import { ReplyCache } from "./reply-cache.ts";
import { nameservers, parseUpstream } from "./resolv-conf.ts";

const servers = ["10.0.0.1", "10.0.0.2", "10.0.0.3"].map((host) => ({ host, port: 53 }));
const query = makeQuery("a.example", recordTypes.A);

/** A forwarder to servers of which some are dead, and the servers it used. */
function forwarderWith(dead: ReadonlySet<string>, upstreams: readonly Upstream[] = servers) {
  const asked: string[] = [];
  const clock = new FakeClock();
  const forwarder = new Forwarder({
    clock,
    upstreams: () => upstreams,
    exchange: async ({ host }) => {
      asked.push(host);
      if (dead.has(host)) throw new Error(`${host} is dead`);
      return Buffer.from(host);
    },
  });
  return { asked, clock, forwarder };
}

test("Forwarder uses the servers in turn", async () => {
  const { asked, forwarder } = forwarderWith(new Set());
  for (let count = 0; count < 4; count++) await forwarder.forward(query);
  assert.deepEqual(asked, ["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.1"]);
});

test("Forwarder tries the next server, and avoids a dead one for a while", async () => {
  const { asked, clock, forwarder } = forwarderWith(new Set(["10.0.0.1"]));
  await forwarder.forward(query);
  for (let count = 0; count < 3; count++) await forwarder.forward(query);
  assert.deepEqual(asked, ["10.0.0.1", "10.0.0.2", "10.0.0.2", "10.0.0.3", "10.0.0.2"]);
  await clock.advance(10_000);
  for (let count = 0; count < 3; count++) await forwarder.forward(query);
  assert.equal(asked.filter((host) => host === "10.0.0.1").length, 2);
});

test("Forwarder fails after its limit of attempts if no server responds", async () => {
  const { asked, forwarder } = forwarderWith(new Set(["10.0.0.1"]), servers.slice(0, 1));
  await assert.rejects(forwarder.forward(query), { message: "10.0.0.1 is dead" });
  assert.equal(asked.length, 2);
  const none = forwarderWith(new Set(), []);
  assert.equal(none.forwarder.available, false);
  await assert.rejects(none.forwarder.forward(query), { message: "no upstream server" });
});

function reply(ttl: number): Buffer {
  const answers = [{ name: "a.example", ttl, type: "A", address: "10.0.0.9" } as const];
  const answer: DnsAnswer = { ...errorAnswer(rcodes.NoError), answers };
  return encodeReply(query, decodeQuery(query), answer, 512);
}

test("ReplyCache returns the remaining TTL, and the name as spelled in the query", async () => {
  const clock = new FakeClock();
  const cache = new ReplyCache(clock);
  cache.store(decodeQuery(query), reply(60));
  await clock.advance(20_500);
  const request = makeQuery("A.EXAMPLE", recordTypes.A);
  request.writeUInt16BE(77, 0);
  const found = cache.find(decodeQuery(request), request);
  assert(found);
  assert.equal(found.readUInt16BE(0), 77);
  assert.deepEqual(readAnswers(found), [
    { name: "A.EXAMPLE", ttl: 40, type: "A", address: "10.0.0.9" },
  ]);
  await clock.advance(40_000);
  assert.equal(cache.find(decodeQuery(request), request), undefined);
});

test("ReplyCache caches negative replies for the zone's time, and no reply with TTL 0", async () => {
  const clock = new FakeClock();
  const cache = new ReplyCache(clock);
  const soa = {
    name: "example",
    ttl: 60,
    type: "SOA",
    primary: "ns.example",
    mailbox: "admin.example",
    serial: 1,
    refresh: 1,
    retry: 1,
    expire: 1,
    minimum: 10,
  } as const;
  const denial = { ...errorAnswer(rcodes.NXDomain), authority: [soa] };
  cache.store(decodeQuery(query), encodeReply(query, decodeQuery(query), denial, 512));
  assert(cache.find(decodeQuery(query), query));
  await clock.advance(10_000);
  assert.equal(cache.find(decodeQuery(query), query), undefined);
  cache.store(decodeQuery(query), reply(0));
  assert.equal(cache.size, 0);
});

test("nameservers() reads a resolv.conf", () => {
  const text = "# x\nsearch a b\nnameserver 10.0.0.1\n nameserver fd00::1\nnameserver bad\n";
  assert.deepEqual(nameservers(text), [
    { host: "10.0.0.1", port: 53 },
    { host: "fd00::1", port: 53 },
  ]);
});

for (const [text, expected] of [
  ["10.0.0.1", { host: "10.0.0.1", port: 53 }],
  ["10.0.0.1:5353", { host: "10.0.0.1", port: 5353 }],
  ["fd00::1", { host: "fd00::1", port: 53 }],
  ["[fd00::1]:5353", { host: "fd00::1", port: 5353 }],
] as const) {
  test(`parseUpstream() reads ${text}`, () => {
    assert.deepEqual(parseUpstream(text), expected);
  });
}

test("parseUpstream() refuses names", () => {
  assert.throws(() => parseUpstream("dns.example"), /is not an IP address/);
});

test("ReplyCache keeps at most 16 MiB of replies, the latest ones", () => {
  const cache = new ReplyCache(new FakeClock());
  for (let index = 0; index < 600; index++) {
    const request = makeQuery(`q${index}.example`, recordTypes.A);
    const name = `q${index}.example`;
    const answers = Array.from({ length: 2500 }, (_, host) => {
      const address = `10.1.${host >> 8}.${host & 255}`;
      return { name, ttl: 60, type: "A", address } as const;
    });
    const answer: DnsAnswer = { ...errorAnswer(rcodes.NoError), answers };
    cache.store(decodeQuery(request), encodeReply(request, decodeQuery(request), answer, 65_535));
  }
  const isKept = (index: number): boolean => {
    const request = makeQuery(`q${index}.example`, recordTypes.A);
    return cache.find(decodeQuery(request), request) !== undefined;
  };
  assert.equal(isKept(599), true);
  assert.equal(isKept(0), false);
  assert.ok(cache.size > 300 && cache.size < 500, `${cache.size} replies of 40 KB`);
});
