import assert from "node:assert/strict";
import { test } from "node:test";
import { componentFilter } from "./component-log.ts";

const head = "1116 03:00:00.000000     1 a.ts:1]";
const text = [
  `I${head} "One \\"1\\"" component="kube-scheduler" logger="scheduler" n=1`,
  `E${head} "Two" component="kube-scheduler" err=<`,
  "\tfirst",
  ' > logger="informer"',
  `I${head} "Three" component="kube-apiserver" logger="x"`,
  `I${head} "Four" logger="x" pod="\\" component=\\"kube-scheduler\\""`,
  "supervise: server ended with code 1",
];
const json = [
  '{"ts":1,"component":"kube-scheduler","logger":"x","caller":"a.ts:1","msg":"Five","v":0}',
  '{"ts":1,"logger":"x","caller":"a.ts:1","msg":"Six","v":0,"component":"kube-scheduler"}',
];

for (const { name, lines, expected } of [
  { name: "in text", lines: text, expected: text.slice(0, 4) },
  { name: "in JSON", lines: json, expected: [json[0]] },
]) {
  test(`componentFilter() finds the entries of a component ${name}`, () => {
    assert.deepEqual(lines.filter(componentFilter("kube-scheduler")), expected);
  });
}
