import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "#/testing/fake-clock.ts";
import type { CacheConfig, Upstream } from "../corefile/dns-config.ts";
import { defaultConfig } from "../default-config.ts";
import { makeQuery } from "../wire/make-query.ts";
import { decodeQuery } from "../wire/query.ts";
import { readAnswers } from "../wire/read-answers.ts";
import { type DnsAnswer, rcodes, recordTypes } from "../wire/record.ts";
import { encodeReply, errorAnswer } from "../wire/reply.ts";
import { Forwarder } from "./forwarder.ts";
import { ReplyCache } from "./reply-cache.ts";
import { nameservers, parseUpstream } from "./resolv-conf.ts";

const servers = ["10.0.0.1", "10.0.0.2", "10.0.0.3"].map((host) => ({ host, port: 53 }));
const query = makeQuery("a.example", recordTypes.A);

/** A forwarder to servers of which some are dead, and the servers it used. */
function forwarderWith(
  dead: ReadonlySet<string>,
  upstreams: readonly Upstream[] = servers,
  policy: "random" | "round_robin" | "sequential" = "round_robin",
) {
  const asked: string[] = [];
  const clock = new FakeClock();
  const forwarder = new Forwarder({
    clock,
    random: () => 0.5,
    config: { policy, timeoutMs: 2000, transport: "udp" },
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

test("Forwarder follows its policy", async () => {
  for (const [policy, expected] of [
    ["sequential", "10.0.0.1"],
    ["random", "10.0.0.2"],
  ] as const) {
    const { asked, forwarder } = forwarderWith(new Set(), servers, policy);
    for (let count = 0; count < 2; count++) await forwarder.forward(query);
    assert.deepEqual(asked, [expected, expected]);
  }
});

/** The cache of a server without a Corefile. */
const usual = defaultConfig({ domain: "cluster.local", ttl: 30, upstreams: [] }).blocks[0]
  ?.cache as CacheConfig;

function reply(ttl: number): Buffer {
  const answers = [{ name: "a.example", ttl, type: "A", address: "10.0.0.9" } as const];
  const answer: DnsAnswer = { ...errorAnswer(rcodes.NoError), answers };
  return encodeReply(query, decodeQuery(query), answer, 512);
}

test("ReplyCache returns the remaining TTL, and the name as spelled in the query", async () => {
  const clock = new FakeClock();
  const cache = new ReplyCache(clock, usual);
  cache.store(decodeQuery(query), reply(60));
  await clock.advance(20_500);
  const request = makeQuery("A.EXAMPLE", recordTypes.A);
  request.writeUInt16BE(77, 0);
  const found = cache.find(decodeQuery(request), request);
  assert(found);
  assert.equal(found.reply.readUInt16BE(0), 77);
  assert.deepEqual(readAnswers(found.reply), [
    { name: "A.EXAMPLE", ttl: 40, type: "A", address: "10.0.0.9" },
  ]);
  await clock.advance(40_000);
  assert.equal(cache.find(decodeQuery(request), request), undefined);
});

test("ReplyCache caches negative replies for the zone's time, and no reply with TTL 0", async () => {
  const clock = new FakeClock();
  const cache = new ReplyCache(clock, usual);
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

test("ReplyCache keeps to the limits of its configuration", async () => {
  const clock = new FakeClock();
  const success = { capacity: 2, maxSeconds: 30, minSeconds: 5 };
  const cache = new ReplyCache(clock, { ...usual, success });
  const ttlOf = (): number | undefined => {
    const found = cache.find(decodeQuery(query), query);
    return found && readAnswers(found.reply)[0]?.ttl;
  };
  cache.store(decodeQuery(query), reply(0));
  assert.equal(ttlOf(), 0, "kept for the minimum");
  await clock.advance(5000);
  assert.equal(ttlOf(), undefined);
  cache.store(decodeQuery(query), reply(3600));
  await clock.advance(29_000);
  assert.equal(ttlOf(), 3571);
  await clock.advance(1000);
  assert.equal(ttlOf(), undefined);
  for (const name of ["a", "b", "c"]) {
    const request = makeQuery(`${name}.example`, recordTypes.A);
    cache.store(decodeQuery(request), reply(60));
  }
  assert.equal(cache.size, 2);
});

test("ReplyCache says when a question should be asked again", async () => {
  const clock = new FakeClock();
  const prefetch = { amount: 3, gapMs: 60_000, percentage: 10 };
  const cache = new ReplyCache(clock, { ...usual, prefetch });
  cache.store(decodeQuery(query), reply(100));
  const isDue = () => cache.find(decodeQuery(query), query)?.isDue;
  assert.deepEqual([isDue(), isDue(), isDue()], [false, false, false], "there is time");
  await clock.advance(50_000);
  assert.equal(isDue(), false);
  await clock.advance(41_000);
  assert.equal(isDue(), true);
});

test("ReplyCache gives expired answers for a while, also after failures", async () => {
  const clock = new FakeClock();
  const stale = { forMs: 3_600_000, verifyMs: undefined, ttl: 30 };
  const cache = new ReplyCache(clock, { ...usual, stale });
  cache.store(decodeQuery(query), reply(60));
  await clock.advance(120_000);
  const failure = encodeReply(query, decodeQuery(query), errorAnswer(rcodes.ServFail), 512);
  cache.store(decodeQuery(query), failure);
  const found = cache.find(decodeQuery(query), query);
  assert.deepEqual([found?.isStale, found?.isDue], [true, true]);
  assert.equal(readAnswers(found?.reply ?? query)[0]?.ttl, 30);
  await clock.advance(3_600_000);
  assert.equal(cache.find(decodeQuery(query), query), undefined);
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
  const cache = new ReplyCache(new FakeClock(), usual);
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
