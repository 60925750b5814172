import assert from "node:assert/strict";
import { test } from "node:test";
import { lastError } from "./last-error.ts";

const cases: { name: string; log: string; shown: string[] }[] = [
  {
    name: "the last error of klog's text format",
    log: `E1117 03:00:00.000000 1 a.ts:1] "first" err="x"
I1117 03:00:00.000000 1 a.ts:1] "more"
E1117 03:00:01.000000 1 a.ts:1] "command failed" err="kube-proxy: failed validate"
I1117 03:00:02.000000 1 a.ts:1] "ending"`,
    shown: ['E1117 03:00:01.000000 1 a.ts:1] "command failed" err="kube-proxy: failed validate"'],
  },
  {
    name: "the last error of the JSON format",
    log: `{"ts":1.0,"component":"a","msg":"failed","err":"no room"}\n{"ts":1.1,"msg":"ending","v":0}`,
    shown: ['{"ts":1.0,"component":"a","msg":"failed","err":"no room"}'],
  },
  {
    name: "an error that was not caught",
    log: "file.ts:3\n  throw x\n  ^\n\nSyntaxError: Unexpected token\n    at x (y)\n\nNode.js v26",
    shown: ["SyntaxError: Unexpected token"],
  },
  {
    name: "the last lines if none is an error",
    log: "1\n2\n3\n\n4\n5\n6\n",
    shown: ["2", "3", "4", "5", "6"],
  },
  { name: "nothing of an empty log", log: "", shown: [] },
];

for (const { name, log, shown } of cases) {
  test(`lastError() shows ${name}`, () => {
    assert.deepEqual(lastError(log.split("\n")), shown);
  });
}
