import assert from "node:assert/strict";
import { test } from "node:test";
import { formatShortest } from "#/std/go/float.ts";
import { goJson, goNumber } from "./go-format.ts";

test("goNumber() prints integers plainly and floats as %v", () => {
  const cases: [number, string][] = [
    [0, "0"],
    [-12, "-12"],
    [1e15, "1000000000000000"],
    [1.5, "1.5"],
    [123456.5, "123456.5"],
    [1234567.5, "1.2345675e+06"],
    [0.0001, "0.0001"],
    [0.00001, "1e-05"],
    [1e21, "1e+21"],
    [Number.NaN, "NaN"],
    [Number.NEGATIVE_INFINITY, "-Inf"],
  ];
  for (const [value, text] of cases) assert.equal(goNumber(value), text);
  assert.equal(formatShortest(10), "10");
  assert.equal(formatShortest(1_000_000), "1e+06");
});

test("goJson() escapes HTML and keeps large integers", () => {
  assert.equal(
    goJson({ a: "<&>\u2028", b: [1, null, 1e21] }),
    '{"a":"\\u003c\\u0026\\u003e\\u2028","b":[1,null,1e+21]}',
  );
  assert.equal(goJson({ n: 2n ** 63n - 1n }), '{"n":9223372036854775807}');
  assert.equal(goJson(undefined), "null");
});
