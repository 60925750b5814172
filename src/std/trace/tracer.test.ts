import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "#/testing/fake-clock.ts";
import { activeSpan } from "./active-span.ts";
import { formatTraceParent, parseTraceParent } from "./trace-context.ts";
import { type FinishedSpan, spanned, Tracer, traceHeaders } from "./tracer.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const spanId = "b7ad6b7169203331";

for (const [header, expected] of [
  [`00-${traceId}-${spanId}-01`, { traceId, spanId, sampled: true }],
  [`00-${traceId}-${spanId}-00`, { traceId, spanId, sampled: false }],
  [`01-${traceId}-${spanId}-01-more`, { traceId, spanId, sampled: true }],
  [`00-${traceId}-${spanId}-01-more`, undefined],
  [`ff-${traceId}-${spanId}-01`, undefined],
  [`00-${"0".repeat(32)}-${spanId}-01`, undefined],
  [`00-${traceId}-${"0".repeat(16)}-01`, undefined],
  ["nonsense", undefined],
  [undefined, undefined],
] as const) {
  test(`parseTraceParent() reads ${header}`, () => {
    assert.deepEqual(parseTraceParent(header), expected);
  });
}

function recorder(ratio: number) {
  const ended: FinishedSpan[] = [];
  const clock = new FakeClock();
  const tracer = new Tracer({ clock, ratio, onEnd: (span) => ended.push(span) });
  return { tracer, ended, clock };
}

test("Tracer.start() follows the parent's sampling, and otherwise the ratio", () => {
  const { tracer } = recorder(0);
  const parent = { traceId, spanId, sampled: true };
  const span = () => ({ name: "x" });
  const unused = () => assert.fail("a span that is not recorded is not described");
  assert.equal(tracer.start(undefined, unused), undefined);
  assert.equal(tracer.start(parent, span)?.context.traceId, traceId);
  const always = recorder(1).tracer;
  assert.match(always.start(undefined, span)?.context.traceId ?? "", /^[0-9a-f]{32}$/);
  assert.equal(always.start({ ...parent, sampled: false }, unused), undefined);
});

test("Tracer.start() records the configured ratio", () => {
  const { tracer } = recorder(0.25);
  let recorded = 0;
  const describe = () => ({ name: `x${recorded++}` });
  for (let index = 0; index < 4_000; index++) tracer.start(undefined, describe);
  assert.ok(recorded > 800 && recorded < 1_200, `${recorded} of 4000`);
});

test("spanned() makes child spans only within an active span", async () => {
  const { tracer, ended, clock } = recorder(1);
  const plain = await spanned(
    "nothing",
    () => assert.fail("attributes of an unrecorded span are not computed"),
    async () => activeSpan(),
  );
  assert.equal(plain, undefined);
  const span = tracer.start(undefined, () => ({ name: "whole" }));
  await span?.run(async () => {
    await spanned(
      "part",
      () => ({ key: "k" }),
      async () => {
        await clock.advance(5);
        assert.deepEqual(traceHeaders(), {
          traceparent: formatTraceParent(activeSpan()?.context ?? assert.fail()),
        });
      },
    );
    const failing = spanned(
      "broken",
      () => ({}),
      () => Promise.reject(new Error("no")),
    );
    await assert.rejects(failing);
  });
  assert.deepEqual(traceHeaders(), {});
  const spans = ended.map(({ name, parentSpanId, error, startNanos, endNanos }) => ({
    name,
    inside: parentSpanId === span?.context.spanId,
    error,
    tookNanos: endNanos - startNanos,
  }));
  assert.deepEqual(spans, [
    { name: "part", inside: true, error: undefined, tookNanos: 5_000_000n },
    { name: "broken", inside: true, error: "no", tookNanos: 0n },
    { name: "whole", inside: false, error: undefined, tookNanos: 5_000_000n },
  ]);
});
