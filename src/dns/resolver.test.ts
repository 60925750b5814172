import assert from "node:assert/strict";
import { test } from "node:test";
import { logger } from "#/std/log/log.ts";
import { nextTurn } from "#/std/time/clock.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import type { ClusterState } from "./cluster-zone.ts";
import { planDnsConfig } from "./corefile/plan-dns-config.ts";
import { defaultConfig } from "./default-config.ts";
import { LoopGuard } from "./loop-guard.ts";
import { Resolver } from "./resolver.ts";
import { RunningConfig } from "./running-config.ts";
import { makeQuery } from "./wire/make-query.ts";
import { decodeQuery } from "./wire/query.ts";
import { readAnswers } from "./wire/read-answers.ts";
import { type Rcode, rcodes, recordTypes } from "./wire/record.ts";
import { encodeReply, errorAnswer } from "./wire/reply.ts";

const rcodeOf = (reply: Buffer | undefined): number => (reply?.readUInt16BE(2) ?? 0) & 15;

const upstreams = [{ host: "192.0.2.1", port: 53 }];
const usual = defaultConfig({ domain: "cluster.local", ttl: 30, upstreams });

/** A cluster with nothing in it. */
const state: ClusterState = {
  synced: true,
  hasNamespace: () => false,
  service: () => undefined,
  slicesOf: () => [],
  servicesWithIp: () => [],
  slicesWithIp: () => [],
};

/** A resolver whose upstream servers answer on demand, and what they were asked. */
function resolverOf(config = usual) {
  const clock = new FakeClock();
  const pending: ((rcode?: Rcode) => void)[] = [];
  const asked: string[] = [];
  const running = new RunningConfig(config, {
    ...{ state, clock, random: () => 0, serial: 1 },
    resolvConf: () => [],
    isSelf: () => false,
    exchange: ({ host }, message) =>
      new Promise((resolve) => {
        const query = decodeQuery(message);
        const { name } = query.question;
        asked.push(`${host} ${name}`);
        const record = { name, ttl: 60, type: "A", address: "203.0.113.1" } as const;
        pending.push((rcode = rcodes.NoError) => {
          const answers = rcode === rcodes.NoError ? [record] : [];
          resolve(encodeReply(message, query, { ...errorAnswer(rcode), answers }, 512));
        });
      }),
  });
  const counts = { refused: 0, stale: 0, prefetched: 0 };
  const resolver = new Resolver({
    ...{ clock, random: () => 0, config: () => running },
    loopGuard: new LoopGuard(logger("test")),
    onRefused: () => void counts.refused++,
    onStale: () => void counts.stale++,
    onPrefetch: () => void counts.prefetched++,
  });
  const resolve = (name: string, type = recordTypes.A as number) =>
    resolver.resolve(makeQuery(name, type), "udp");
  /** Asks, and has the upstream server answer. */
  const ask = async (name: string): Promise<readonly unknown[]> => {
    const asking = resolve(name);
    await nextTurn();
    for (const answer of pending.splice(0)) answer();
    const { reply } = await asking;
    return reply ? readAnswers(reply) : [];
  };
  return { resolve, ask, pending, asked, counts, clock };
}

for (const [kind, nameOf] of [
  ["different", (index: number) => `q${index}.example`],
  ["equal", () => "same.example"],
] as const) {
  test(`Resolver refuses more than 1000 ${kind} questions under way, and answers again later`, async () => {
    const { resolve, pending, counts } = resolverOf();
    const waiting = Array.from({ length: 1000 }, (_, index) => resolve(nameOf(index)));
    await nextTurn();
    const { reply } = await resolve("one-more.example");
    assert.deepEqual([rcodeOf(reply), counts.refused], [rcodes.Refused, 1]);
    for (const answer of pending.splice(0)) answer();
    const replies = await Promise.all(waiting);
    assert.ok(replies.every((one) => rcodeOf(one.reply) === rcodes.NoError));
    const later = resolve("later.example");
    await nextTurn();
    for (const answer of pending.splice(0)) answer();
    assert.equal(rcodeOf((await later).reply), rcodes.NoError);
  });
}

test("Resolver answers for the cluster whatever waits for upstream servers", async () => {
  const { resolve } = resolverOf();
  assert.equal(rcodeOf((await resolve("a.cluster.local")).reply), rcodes.NXDomain);
});

const corefile = (text: string) => planDnsConfig(text, { files: {}, port: 53 });

test("Resolver asks the servers of a name's zone", async () => {
  const { ask, asked } = resolverOf(
    corefile(`
      . {
        forward . 192.0.2.1
        forward sub.example 192.0.2.2 {
          except not.sub.example
        }
      }
      corp.example {
        forward . 192.0.2.3
      }`),
  );
  for (const name of [
    "a.test",
    "a.sub.example",
    "a.not.sub.example",
    "a.Corp.Example",
    "corp.example",
  ]) {
    await ask(name);
  }
  assert.deepEqual(asked, [
    "192.0.2.1 a.test",
    "192.0.2.2 a.sub.example",
    "192.0.2.1 a.not.sub.example",
    "192.0.2.3 a.Corp.Example",
    "192.0.2.3 corp.example",
  ]);
});

test("Resolver refuses names without a block, and those that a block forwards nowhere", async () => {
  const { resolve } = resolverOf(
    corefile("example.org {\n  hosts {\n    192.0.2.7 a.example.org\n    fallthrough\n  }\n}"),
  );
  const rcode = async (name: string, type?: number) => rcodeOf((await resolve(name, type)).reply);
  assert.equal(await rcode("a.test"), rcodes.Refused);
  assert.equal(await rcode("b.example.org"), rcodes.Refused);
  assert.equal(await rcode("a.example.org"), rcodes.NoError);
  assert.equal(await rcode("a.example.org", recordTypes.AAAA), rcodes.NoError);
});

test("Resolver answers a rewritten name as if it was not", async () => {
  const { resolve, ask, asked } = resolverOf(
    corefile(`. {
      rewrite name suffix .old.example .new.example answer auto
      rewrite name host.example hosts.internal
      hosts {
        192.0.2.7 hosts.internal
        fallthrough
      }
      forward . 192.0.2.1
    }`),
  );
  const record = { ttl: 60, type: "A", address: "203.0.113.1" };
  assert.deepEqual(await ask("www.old.example"), [{ name: "www.old.example", ...record }]);
  assert.deepEqual(asked, ["192.0.2.1 www.new.example"]);
  const { reply } = await resolve("HOST.example");
  assert.deepEqual(readAnswers(reply ?? Buffer.alloc(12)), [
    { name: "host.example", ttl: 3600, type: "A", address: "192.0.2.7" },
  ]);
  assert.match(reply?.toString("latin1") ?? "", /HOST/);
});

test("Resolver gives expired answers, and asks for new ones behind", async () => {
  const { resolve, ask, asked, pending, counts, clock } = resolverOf(
    corefile(". {\n  cache {\n    serve_stale\n  }\n  forward . 192.0.2.1\n}"),
  );
  await ask("a.example");
  await clock.advance(61_000);
  const stale = await resolve("a.example");
  assert.equal(stale.source, "cache");
  assert.deepEqual([counts.stale, asked.length], [1, 2]);
  await resolve("a.example");
  assert.equal(asked.length, 2, "once");
  for (const answer of pending.splice(0)) answer();
  await nextTurn();
  assert.equal((await resolve("a.example")).source, "cache");
  assert.equal(counts.stale, 2);
});

test("Resolver waits for a server before it gives an expired answer, but not for long", async () => {
  const { resolve, ask, pending, counts, clock } = resolverOf(
    corefile(". {\n  cache {\n    serve_stale 1h verify 100ms\n  }\n  forward . 192.0.2.1\n}"),
  );
  await ask("a.example");
  await clock.advance(61_000);
  const late = resolve("a.example");
  await nextTurn();
  await clock.advance(100);
  assert.deepEqual([(await late).source, counts.stale], ["cache", 1]);
  for (const answer of pending.splice(0)) answer();
  await nextTurn();
  assert.equal((await resolve("a.example")).source, "cache");
  assert.equal(counts.stale, 1, "the late answer was kept");
});
