import assert from "node:assert/strict";
import { test } from "node:test";
import { formatSample, labelPairs, metricHeader, metricSample } from "./metrics-text.ts";

const numbers: readonly [number, string][] = [
  [0, "0"],
  [1, "1"],
  [-1.5, "-1.5"],
  [999_999, "999999"],
  [1_000_000, "1e+06"],
  [123_456_789, "1.23456789e+08"],
  [1_763_239_800.25, "1.76323980025e+09"],
  [1e21, "1e+21"],
  [0.0001, "0.0001"],
  [0.00001, "1e-05"],
  [1e-9 * 10, "1e-08"],
  [9.999999999999999e-5, "9.999999999999999e-05"],
  [1e100, "1e+100"],
  [Number.POSITIVE_INFINITY, "+Inf"],
  [Number.NEGATIVE_INFINITY, "-Inf"],
  [Number.NaN, "NaN"],
];

for (const [value, text] of numbers) {
  test(`formatSample() writes ${text}`, () => assert.equal(formatSample(value), text));
}

test("metricHeader() escapes backslashes and line ends", () => {
  assert.equal(
    metricHeader("a_total", "counter", 'Say "hi"\n\\o/'),
    '# HELP a_total Say "hi"\\n\\\\o/\n# TYPE a_total counter\n',
  );
});

test("metricSample() escapes label values", () => {
  const labels = labelPairs([
    ["path", '/a"b\\c\nd'],
    ["verb", "GET"],
  ]);
  assert.equal(metricSample("a", labels, 2), 'a{path="/a\\"b\\\\c\\nd",verb="GET"} 2\n');
  assert.equal(metricSample("a", "", 2), "a 2\n");
});
