import assert from "node:assert/strict";
import { test } from "node:test";
import { errorMessage, formatJson, formatText, type LogRecord } from "./log-format.ts";

const base: Omit<LogRecord, "fields"> = {
  severity: "info",
  level: 0,
  time: 0,
  pid: 1,
  logger: "",
  caller: "/k8ts/src/std/x.ts:3",
  message: "m",
};

const circular: Record<string, unknown> = {};
circular["self"] = circular;

const cases: readonly { value: unknown; text: string; json: string }[] = [
  { value: 'say "hi"', text: '"say \\"hi\\""', json: '"say \\"hi\\""' },
  { value: "a\nb", text: "<\n\ta\n\tb\n >", json: '"a\\nb"' },
  { value: "a\nb\n", text: "<\n\ta\n\tb\n >", json: '"a\\nb\\n"' },
  { value: 1.5, text: "1.5", json: "1.5" },
  { value: true, text: "true", json: "true" },
  { value: null, text: "null", json: "null" },
  { value: undefined, text: "null", json: "null" },
  { value: 12n, text: '"12"', json: '"12"' },
  { value: ["a", 1], text: '["a",1]', json: '["a",1]' },
  { value: { a: { b: 1 } }, text: '{"a":{"b":1}}', json: '{"a":{"b":1}}' },
  { value: new Set([1]), text: "[1]", json: "[1]" },
  { value: new Map([["a", 1]]), text: '{"a":1}', json: '{"a":1}' },
  { value: new Error("no", { cause: new Error("why") }), text: '"no: why"', json: '"no: why"' },
  { value: { name: "p", toString: () => "ns/p" }, text: '"ns/p"', json: '{"name":"p"}' },
  {
    value: {
      toString() {
        throw new Error("boom");
      },
    },
    text: '"<panic: boom>"',
    json: "{}",
  },
  {
    value: circular,
    text: '"<internal error: Converting circular structure to JSON>"',
    json: '"<internal error: Converting circular structure to JSON>"',
  },
];

for (const { value, text, json } of cases) {
  test(`formatText() writes key=${JSON.stringify(text)}`, () => {
    const line = formatText({ ...base, fields: { key: value } });
    assert.equal(line.slice(line.indexOf("]") + 2), `"m" key=${text}\n`);
  });
  test(`formatJson() writes "key":${json}`, () => {
    const line = formatJson({ ...base, fields: { key: value } });
    assert.equal(line, `{"ts":0,"caller":"std/x.ts:3","msg":"m","v":0,"key":${json}}\n`);
    assert.doesNotThrow(() => JSON.parse(line));
  });
}

test("errorMessage() names each cause once", () => {
  const inner = new Error("connection refused");
  assert.equal(errorMessage(new Error("dial", { cause: inner })), "dial: connection refused");
  assert.equal(
    errorMessage(new Error(`dial: ${inner.message}`, { cause: inner })),
    "dial: connection refused",
  );
  assert.equal(errorMessage("text"), "text");
});

test("formatText() and formatJson() shorten long values", () => {
  const long = "x".repeat(3_000_000);
  const values = [long, new Error(long), { long }, [long, long]];
  for (const value of values) {
    for (const format of [formatText, formatJson]) {
      const line = format({ ...base, error: value, fields: { key: value, path: "/a" } });
      assert.ok(line.length < 40_000, `${line.length} characters`);
      assert.match(line, /\.\.\. \(\d+ more characters\)/);
      assert.ok(line.includes("/a"));
      if (format === formatJson) assert.doesNotThrow(() => JSON.parse(line));
    }
  }
});
