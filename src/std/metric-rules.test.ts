import assert from "node:assert/strict";
import { test } from "node:test";
import { FlagError } from "./flags.ts";
import { type MetricFlags, metricRules } from "./metric-rules.ts";
import { Registry } from "./metrics.ts";

const none: MetricFlags = {
  "allow-metric-labels": {},
  "allow-metric-labels-manifest": "",
  "disabled-metrics": [],
  "show-hidden-metrics-for-version": "",
};

test("metricRules() leave metrics out, and values of labels", () => {
  const flags = {
    ...none,
    "disabled-metrics": ["gone_total"],
    "allow-metric-labels": { "kept_total,code": "200,404" },
  };
  const registry = new Registry(metricRules(flags));
  registry.counter({ name: "gone_total", help: "Gone." }).inc();
  const kept = registry.counter({ name: "kept_total", help: "Kept.", labels: ["code", "verb"] });
  for (const code of ["200", "404", "500", "503"]) kept.with({ code, verb: "GET" }).inc();
  const samples = [...registry.expose()].join("").match(/^(gone|kept)\S* .*$/gm);
  assert.deepEqual(samples, [
    'kept_total{code="200",verb="GET"} 1',
    'kept_total{code="404",verb="GET"} 1',
    'kept_total{code="unexpected",verb="GET"} 2',
  ]);
});

// What kube-apiserver v1.37.1 says to the same flags.
for (const [flags, message] of [
  [
    { "show-hidden-metrics-for-version": "1.30" },
    "metrics.showHiddenMetricsForVersion: Invalid value: \"1.30\": must be omitted or have the value '1.36'; only the previous minor version is allowed",
  ],
  [
    { "allow-metric-labels": { foo: "bar" } },
    'metrics.allowListMapping: Invalid value: {"foo":"bar"}: must have keys with format `metricName,labelName` where metricName matches "[a-zA-Z_:][a-zA-Z0-9_:]*" and labelName matches "[a-zA-Z_][a-zA-Z0-9_]*"',
  ],
  [
    { "allow-metric-labels-manifest": "/nope" },
    'metrics.allowListMappingManifest: Invalid value: "/nope": failed to read allow list manifest: open /nope: no such file or directory',
  ],
] as const) {
  test(`metricRules() refuse ${JSON.stringify(flags)}`, () => {
    assert.throws(() => metricRules({ ...none, ...flags }), new FlagError(message));
  });
}
