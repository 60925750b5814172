import assert from "node:assert/strict";
import { test } from "node:test";
import { type Random, randomInt, seededRandom } from "#/std/base/random.ts";
import { jsonOf, nodeOf } from "./node-value.ts";
import { readNode } from "./read-nodes.ts";
import { writeNode } from "./write-node.ts";

const texts = [
  "plain",
  "",
  "true",
  "yes",
  "null",
  "~",
  "1",
  "0x10",
  "1e3",
  "2020-01-01",
  " edge ",
  "a: b",
  "- x",
  "# c",
  "it's",
  'say "x"',
  "two\nlines",
  "ends\n",
  "ends twice\n\n",
  "  indented\nfirst",
  "\ttab",
  "é ☃",
  "{a}",
  "[b]",
  "*x",
  "&y",
  "!z",
  "%",
  "@",
  "trailing \nspace",
];

function randomValue(random: Random, depth: number): unknown {
  const kind = randomInt(random, depth > 3 ? 4 : 6);
  if (kind === 0) return randomInt(random, 2000) - 1000;
  if (kind === 1) return random() < 0.5;
  if (kind < 4) return texts[randomInt(random, texts.length)];
  const length = randomInt(random, 4);
  if (kind === 4) return Array.from({ length }, () => randomValue(random, depth + 1));
  const keys = Array.from({ length }, () => `k${randomInt(random, 9)}`);
  return Object.fromEntries(keys.map((key) => [key, randomValue(random, depth + 1)]));
}

test("writeNode() writes what readNode() reads as the same value", () => {
  const random = seededRandom(20260318);
  for (let run = 0; run < 2000; run++) {
    const value = { top: randomValue(random, 0), list: [randomValue(random, 1)] };
    const text = writeNode(nodeOf(value));
    const again = readNode(text);
    assert.deepEqual(again && jsonOf(again), value, text);
  }
});
