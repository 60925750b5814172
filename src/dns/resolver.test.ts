import assert from "node:assert/strict";
import { test } from "node:test";
import { logger } from "#/std/log/log.ts";
import { nextTurn } from "#/std/time/clock.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import type { ClusterZone } from "./cluster-zone.ts";
import { Forwarder } from "./forward/forwarder.ts";
import { ReplyCache } from "./forward/reply-cache.ts";
import { LoopGuard } from "./loop-guard.ts";
import { Resolver } from "./resolver.ts";
import { makeQuery } from "./wire/make-query.ts";
import { decodeQuery } from "./wire/query.ts";
import { rcodes, recordTypes } from "./wire/record.ts";
import { encodeReply, errorAnswer } from "./wire/reply.ts";

const rcodeOf = (reply: Buffer | undefined): number => (reply?.readUInt16BE(2) ?? 0) & 15;

/** A resolver whose upstream server answers on demand. */
function resolverOf(isOwn: boolean) {
  const clock = new FakeClock();
  const pending: (() => void)[] = [];
  const forwarder = new Forwarder({
    clock,
    upstreams: () => [{ host: "192.0.2.1", port: 53 }],
    exchange: (_upstream, message) =>
      new Promise((resolve) => {
        const reply = encodeReply(message, decodeQuery(message), errorAnswer(rcodes.NoError), 512);
        pending.push(() => resolve(reply));
      }),
  });
  const answer = () => (isOwn ? errorAnswer(rcodes.NXDomain) : undefined);
  let refused = 0;
  const resolver = new Resolver({
    zone: { answer } as unknown as ClusterZone,
    forwarder,
    cache: new ReplyCache(clock),
    loopGuard: new LoopGuard(logger("test")),
    random: () => 0,
    onRefused: () => {
      refused += 1;
    },
  });
  const resolve = (name: string) => resolver.resolve(makeQuery(name, recordTypes.A), "udp");
  return { resolve, pending, refused: () => refused };
}

for (const [kind, nameOf] of [
  ["different", (index: number) => `q${index}.example`],
  ["equal", () => "same.example"],
] as const) {
  test(`Resolver refuses more than 1000 ${kind} questions under way, and answers again later`, async () => {
    const { resolve, pending, refused } = resolverOf(false);
    const waiting = Array.from({ length: 1000 }, (_, index) => resolve(nameOf(index)));
    await nextTurn();
    const { reply } = await resolve("one-more.example");
    assert.deepEqual([rcodeOf(reply), refused()], [rcodes.Refused, 1]);
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
  const { resolve } = resolverOf(true);
  assert.equal(rcodeOf((await resolve("a.cluster.local")).reply), rcodes.NXDomain);
});
