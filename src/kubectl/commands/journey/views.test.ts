import assert from "node:assert/strict";
import { test } from "node:test";
import type { Journey, Layer, Step } from "#/machinery/journey/step.ts";
import { formatMicroTime } from "#/machinery/time/time.ts";
import { compactText } from "./compact.ts";
import { compareText } from "./compare.ts";
import { otlpRequest, perfettoTrace } from "./export-spans.ts";
import { fanOutText } from "./fan-out.ts";
import { fanOutOf } from "./fan-out-of-objects.ts";
import { fullText } from "./full.ts";
import { journeyFromObject } from "./journey-from-object.ts";
import { timelineText } from "./timeline.ts";

const startMs = 1_700_000_000_000;
const at = (ms: number): string => formatMicroTime(startMs + ms);

function journeyOf(name: string, ...parts: readonly [Layer, string, number, number][]): Journey {
  const of = { resource: "pods", namespace: "a", name, uid: `uid-${name}` };
  const steps = parts.map(
    ([layer, step, fromMs, toMs]): Step => ({
      ...{ of, layer, name: step, from: at(fromMs), to: at(toMs), outcome: "ok" },
    }),
  );
  const to = steps.at(-1)?.to ?? "";
  return { metadata: { name, namespace: "a" }, of, from: at(0), to, steps };
}

const quick = journeyOf(
  "quick",
  ["client", "request", 0, 100],
  ["node", "sandbox", 100, 900],
  ["readiness", "ready", 900, 1000],
);
const slow = journeyOf(
  "slow",
  ["client", "request", 0, 100],
  ["node", "sandbox", 100, 1900],
  ["readiness", "ready", 1900, 2000],
);

test("timelineText() draws steps in proportion", () => {
  assert.equal(
    timelineText(quick, 60),
    `pods a/quick: ready after 1.00s, 100 % explained

                 0               500ms      1.00s
client  request  ███                                  100ms
node  sandbox       ██████████████████████████        800ms
readiness  ready                             ████     100ms
`,
  );
});

for (const { name, shiftMs, lengthMs, note } of [
  {
    name: "behind",
    shiftMs: -600_000,
    lengthMs: 800,
    note: "clock of system:node:n1: at least 10m",
  },
  { name: "ahead", shiftMs: 600_000, lengthMs: 800, note: "clock of system:node:n1: at least 10m" },
  { name: "set back", shiftMs: 0, lengthMs: -800, note: "clock of system:node:n1: set back" },
]) {
  test(`no view has a negative length if the clock of a node is ${name}`, () => {
    const plain = journeyOf("odd", ["client", "request", 0, 100], ["store", "commit", 100, 110]);
    const by = "system:node:n1";
    const [bound, from] = [120, 130 + shiftMs];
    const facts = shiftMs > 0 ? { clockAheadMs: shiftMs } : {};
    const odd = {
      ...plain,
      steps: [
        ...plain.steps,
        { ...step(plain, "store", "commit", bound, 125), facts: { subresource: "binding" } },
        { ...step(plain, "node", "sandbox", from, from + lengthMs), by, facts },
        { ...step(plain, "readiness", "ready", from + 900, from + 900 + lengthMs), by, facts },
      ],
    };
    const texts = [compactText(odd), fullText(odd), timelineText(odd, 100), compareText(odd, odd)];
    for (const text of texts) assert.doesNotMatch(text, /-\d/, text);
    for (const text of texts.slice(0, 3)) {
      assert.ok(text.includes(note), text);
      assert.match(text, /ready after .* by clocks that differ/);
    }
    const { traceEvents } = perfettoTrace([odd]) as { traceEvents: { ph: string; dur: number }[] };
    for (const { ph, dur } of traceEvents) assert.ok(ph === "M" || dur >= 1);
    for (const { startTimeUnixNano, endTimeUnixNano } of spansIn(otlpRequest([odd]))) {
      assert.ok(BigInt(endTimeUnixNano) >= BigInt(startTimeUnixNano));
    }
  });
}

function step(of: Journey, layer: Layer, name: string, fromMs: number, toMs: number): Step {
  return { of: of.of, layer, name, from: at(fromMs), to: at(toMs), outcome: "ok" };
}

interface OtlpSpan {
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
}

const spansIn = (request: object): readonly OtlpSpan[] =>
  (request as { resourceSpans: { scopeSpans: { spans: OtlpSpan[] }[] }[] }).resourceSpans.flatMap(
    ({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans),
  );

test("compareText() marks the layer that differs most", () => {
  const lines = compareText(quick, slow).split("\n");
  assert.deepEqual(
    lines.filter((line) => line.startsWith("*")),
    ["* node                   800ms         1.80s  +1.00s"],
  );
  assert.equal(lines.at(-2), "  in all                 1.00s         2.00s  +1.00s");
});

test("fanOutText() shows the slowest object first, and its path", () => {
  const root = {
    ...journeyOf("web", ["client", "request", 0, 1]),
    of: { resource: "jobs.batch", name: "web" },
  };
  const leaf = (journey: Journey) => ({ journey, children: [] });
  const lines = fanOutText({ journey: root, children: [quick, slow].map(leaf) }).split("\n");
  assert.deepEqual(lines.slice(0, 6), [
    "jobs.batch/web: 2 objects, 2 ready",
    "",
    "* pods/slow   ready         2.00s  node 1.80s",
    "  pods/quick  ready         1.00s  node 800ms",
    "",
    "slowest path: jobs.batch/web → pods/slow",
  ]);
});

test("every view shows what the application has reported, beside its Pod", () => {
  const span = {
    ...{ traceId: "0af7", spanId: "b7ad", name: "GET /\x1b[2J", kind: "server", service: "shop" },
    ...{ from: at(1500), to: at(1512), status: "error" as const, attributes: { route: "/" } },
  };
  const journey = { ...quick, spans: [span] };
  for (const text of [compactText(journey), timelineText(journey, 80), fullText(journey)]) {
    assert.match(text, /application: 1 spans of shop, 1 failed\n +\+1\.50s +12ms ✘ GET/);
    assert.ok(!text.includes("\x1b"));
  }
  assert.match(fullText(journey), /route: \//);
});

test("fullText() can't move the cursor of a terminal", () => {
  const hostile = journeyOf("x", ["node", "\x1b[2Jexit", 0, 1]);
  assert.ok(!fullText(hostile).includes("\x1b"));
});

test("perfettoTrace() has an event for each step, in microseconds", () => {
  const { traceEvents } = perfettoTrace([quick]) as { traceEvents: Record<string, unknown>[] };
  const events = traceEvents.filter(({ ph }) => ph === "X");
  assert.deepEqual(
    events.map(({ name, ts, dur, tid }) => ({ name, ts, dur, tid })),
    [
      { name: "request", ts: startMs * 1000, dur: 100_000, tid: 0 },
      { name: "sandbox", ts: (startMs + 100) * 1000, dur: 800_000, tid: 7 },
      { name: "ready", ts: (startMs + 900) * 1000, dur: 100_000, tid: 8 },
    ],
  );
});

test("otlpRequest() has a root span, and the steps below it", () => {
  const { resourceSpans } = otlpRequest([quick]) as {
    resourceSpans: { scopeSpans: { spans: Record<string, string>[] }[] }[];
  };
  const spans = resourceSpans[0]?.scopeSpans[0]?.spans ?? [];
  const [root, ...steps] = spans;
  assert.deepEqual(
    spans.map(({ name, startTimeUnixNano }) => [name, startTimeUnixNano]),
    [
      ["pods quick", `${startMs}000000`],
      ["client: request", `${startMs}000000`],
      ["node: sandbox", `${startMs + 100}000000`],
      ["readiness: ready", `${startMs + 900}000000`],
    ],
  );
  assert.ok(
    steps.every(
      ({ parentSpanId, traceId }) =>
        parentSpanId === root?.["spanId"] && traceId === root?.["traceId"],
    ),
  );
});

test("journeyFromObject() takes what conditions, events and managedFields contain", () => {
  const time = "2026-01-01T00:00:00Z";
  const journey = journeyFromObject(
    "pods",
    {
      metadata: {
        ...{ name: "p", namespace: "a", uid: "u", creationTimestamp: time },
        managedFields: [{ manager: "kubectl", operation: "Update", time }],
      },
      status: {
        conditions: [
          {
            type: "PodScheduled",
            status: "False",
            reason: "Unschedulable",
            lastTransitionTime: time,
          },
        ],
      },
    },
    [
      {
        ...{ metadata: {}, involvedObject: {}, reason: "FailedMount", message: "no such volume" },
        ...{ reportingComponent: "", reportingInstance: "" },
        ...{ type: "Warning", source: { component: "kubelet" }, firstTimestamp: time },
      },
    ],
  );
  assert.deepEqual(
    journey.steps.map(({ layer, name, outcome, reason }) => [layer, name, outcome, reason]),
    [
      ["store", "commit", "ok", undefined],
      ["store", "commit", "ok", undefined],
      ["scheduling", "PodScheduled", "waiting", "Unschedulable"],
      ["node", "FailedMount", "failed", undefined],
    ],
  );
});

test("fanOutOf() finds what was made for an object by its controllers, and the events of each", () => {
  const created = { namespace: "a", creationTimestamp: "2026-01-01T00:00:00Z" };
  const owned = (name: string, owner: string) => ({
    metadata: {
      ...created,
      name,
      uid: name,
      ownerReferences: [{ apiVersion: "v1", kind: "X", name: "x", uid: owner, controller: true }],
    },
  });
  const { journey, children } = fanOutOf(
    journeyFromObject("deployments.apps", { metadata: { ...created, name: "web", uid: "d" } }, []),
    [
      { resource: "replicasets.apps", object: owned("web-1", "d") },
      { resource: "pods", object: owned("web-1-x", "web-1") },
      { resource: "pods", object: owned("other", "elsewhere") },
    ],
    [
      {
        ...{ metadata: {}, involvedObject: { uid: "web-1-x" }, reason: "Pulled", message: "" },
        ...{ reportingComponent: "kubelet", reportingInstance: "" },
        firstTimestamp: "2026-01-01T00:00:01Z",
      },
    ],
  );
  assert.equal(journey.of.name, "web");
  assert.deepEqual(
    children.map((set) => [
      set.journey.of.name,
      set.children.map(({ journey: { of } }) => of.name),
    ]),
    [["web-1", ["web-1-x"]]],
  );
  const [pod] = children[0]?.children ?? [];
  assert.deepEqual(
    pod?.journey.steps.map(({ layer, name }) => `${layer}/${name}`),
    ["store/commit", "node/Pulled"],
  );
});
