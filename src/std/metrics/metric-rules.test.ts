import assert from "node:assert/strict";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { FlagError } from "../flags/flags.ts";
import { type MetricFlags, metricRules } from "./metric-rules.ts";
import { Registry } from "./metrics.ts";

const none: MetricFlags = {
  "allow-metric-labels": {},
  "allow-metric-labels-manifest": "",
  "disabled-metrics": [],
  "show-hidden-metrics-for-version": "",
};

test("metricRules() hide metrics and label values", () => {
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

// The errors of kube-apiserver v1.37.1 for the same flags.
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
  [
    { "allow-metric-labels-manifest": "/dev" },
    'metrics.allowListMappingManifest: Invalid value: "/dev": failed to read allow list manifest: read /dev: is a directory',
  ],
  [
    { "allow-metric-labels-manifest": "/dev/null", "allow-metric-labels": { "a,b": "c" } },
    'metrics: Invalid value: {"allowListMapping":{"a,b":"c"},"allowListMappingManifest":"/dev/null"}: cannot specify both allowListMapping and allowListMappingManifest',
  ],
  [
    { "disabled-metrics": ["a-b"] },
    'metrics.disabledMetrics: Invalid value: ["a-b"]: must be fully qualified metric names matching "^[a-zA-Z_:][a-zA-Z0-9_:]*$", got "a-b"',
  ],
] as const) {
  test(`metricRules() refuse ${JSON.stringify(flags)}`, () => {
    assert.throws(() => metricRules({ ...none, ...flags }), new FlagError(message));
  });
}

/** The error for a manifest, or the allowed values if it is valid. */
async function rulesOf(manifest: string): Promise<string | Record<string, readonly string[]>> {
  await using directory = await mkdtempDisposable(join(tmpdir(), "metric-rules-"));
  const file = join(directory.path, "manifest");
  await writeFile(file, manifest);
  try {
    const { allowed } = metricRules({ ...none, "allow-metric-labels-manifest": file });
    return Object.fromEntries([...allowed].map(([key, values]) => [key, [...values]]));
  } catch (error) {
    assert.ok(error instanceof FlagError);
    return error.message.replace(/^metrics\.allowListMappingManifest: Invalid value: ".*?": /, "");
  }
}

const unparsed = "failed to parse allow list manifest: yaml: unmarshal errors: cannot unmarshal";
for (const [name, manifest, expected] of [
  ["text", "a_total,code: '200,404'\nb,c: 5\n", { "a_total,code": ["200", "404"], "b,c": ["5"] }],
  ["nothing", "", {}],
  ["a list for a label", "a,b: [c]", `${unparsed} !!seq into string`],
  ["a mapping for a label", "a,b: {c: d}", `${unparsed} !!map into string`],
  ["a list", "- a", `${unparsed} !!seq into map[string]string`],
  ["a word", "hello", `${unparsed} !!str \`hello\` into map[string]string`],
  [
    "no label",
    "foo: bar",
    'invalid allow list mapping in manifest: [metrics.allowListMappingManifest: Invalid value: {"foo":"bar"}: must have keys with format `metricName,labelName` where metricName matches "[a-zA-Z_:][a-zA-Z0-9_:]*" and labelName matches "[a-zA-Z_][a-zA-Z0-9_]*"]',
  ],
] as const) {
  test(`metricRules() of a manifest with ${name}`, async () => {
    assert.deepEqual(await rulesOf(manifest), expected);
  });
}
