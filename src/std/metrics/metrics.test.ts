import assert from "node:assert/strict";
import { test } from "node:test";
import { exponentialBuckets, linearBuckets, Registry } from "./metrics.ts";

function text(registry: Registry): string {
  return [...registry.expose()].join("");
}

test("Registry exposes counters, sorted by name and labels, with labels sorted by name", () => {
  const registry = new Registry();
  const requests = registry.counter({
    name: "requests_total",
    help: "Requests.",
    stability: "STABLE",
    labels: ["verb", "code"],
  });
  registry.counter({ name: "a_total", help: "A." }).inc();
  requests.with({ verb: "PUT", code: "200" }).inc();
  requests.with({ verb: "GET", code: "200" }).inc(2);
  requests.with({ verb: "GET", code: "200" }).inc();
  assert.equal(
    text(registry),
    `\
# HELP a_total A.
# TYPE a_total counter
a_total 1
# HELP requests_total [STABLE] Requests.
# TYPE requests_total counter
requests_total{code="200",verb="GET"} 3
requests_total{code="200",verb="PUT"} 1
`,
  );
});

test("Registry exposes gauges, set or computed", () => {
  const registry = new Registry();
  const depth = registry.gauge({ name: "depth", help: "D.", labels: ["name"] });
  depth.with({ name: "a" }).set(5);
  depth.with({ name: "a" }).dec(2);
  depth.with({ name: "gone" }).set(1);
  depth.remove({ name: "gone" });
  let asked = 0;
  registry.gauge({ name: "up", help: "U." }).setFunction(() => ++asked);
  const expected = (up: number) =>
    `# HELP depth D.\n# TYPE depth gauge\ndepth{name="a"} 3\n# HELP up U.\n# TYPE up gauge\nup ${up}\n`;
  assert.equal(text(registry), expected(1));
  assert.equal(text(registry), expected(2));
});

test("Registry exposes histograms with cumulative buckets", () => {
  const registry = new Registry();
  const options = { name: "seconds", help: "S.", buckets: [0.1, 1] };
  const seconds = registry.histogram({ ...options, labels: ["verb"] });
  for (const value of [0.05, 0.1, 0.5, 7]) seconds.with({ verb: "GET" }).observe(value);
  assert.equal(
    text(registry),
    `\
# HELP seconds S.
# TYPE seconds histogram
seconds_bucket{verb="GET",le="0.1"} 2
seconds_bucket{verb="GET",le="1"} 3
seconds_bucket{verb="GET",le="+Inf"} 4
seconds_sum{verb="GET"} 7.65
seconds_count{verb="GET"} 4
`,
  );
});

test("Registry leaves out metrics that have no series yet", () => {
  const registry = new Registry();
  registry.counter({ name: "a_total", help: "A.", labels: ["b"] });
  assert.equal(text(registry), "");
});

test("Labelled counts values over its limit in one series", () => {
  const registry = new Registry();
  const pods = registry.counter({ name: "pods", help: "P.", labels: ["name"], maxSeries: 2 });
  for (const name of ["a", "b", "c", "d", "a"]) pods.with({ name }).inc();
  const lines = text(registry).split("\n");
  assert.deepEqual(
    lines.filter((line) => !line.startsWith("#")),
    [
      "cardinality_enforcement_unexpected_categorizations_total 2",
      'pods{name="a"} 2',
      'pods{name="b"} 1',
      'pods{name="unexpected"} 2',
      "",
    ],
  );
});

test("Registry refuses duplicate and invalid names", () => {
  const registry = new Registry();
  registry.counter({ name: "a", help: "" });
  assert.throws(() => registry.gauge({ name: "a", help: "" }), /metric a is already registered/);
  assert.throws(() => registry.gauge({ name: "a-b", help: "" }), /"a-b" is no metric name/);
});

test("exponentialBuckets() and linearBuckets() make upstream's bounds", () => {
  assert.deepEqual(exponentialBuckets(10e-9, 10, 4), [1e-8, 1e-7, 1e-6, 9.999999999999999e-6]);
  assert.deepEqual(linearBuckets(1, 2, 3), [1, 3, 5]);
});
