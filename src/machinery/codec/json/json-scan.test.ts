import assert from "node:assert/strict";
import { test } from "node:test";
import { scanJson } from "./json-scan.ts";

const cases = [
  { json: "{}", keys: 0, elements: 1 },
  { json: '{"a":{"b":{}}}', keys: 2, elements: 1 },
  { json: '{"a": {},\n"b" :\t[]}', keys: 2, elements: 1 },
  { json: '{"a":[{},{},[]]}', keys: 1, elements: 4 },
  { json: " [ {} , {} ]", keys: 0, elements: 3 },
  { json: '{"a":"[{:"}', keys: 1, elements: 1 },
];

for (const { json, keys, elements } of cases) {
  test(`scanJson() counts keys and elements of ${JSON.stringify(json)}`, () => {
    const found = scanJson(Buffer.from(json));
    assert.deepEqual({ keys: found.keys, elements: found.elements }, { keys, elements });
  });
}
