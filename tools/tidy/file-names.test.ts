import assert from "node:assert/strict";
import { test } from "node:test";
import { checkFileNames } from "./file-names.ts";

const cases: readonly [string, string | undefined][] = [
  ["src/api/apps/v1.ts", undefined],
  ["src/storage/etcd.faults.test.ts", undefined],
  ["src/controllers/replica-set.ts", undefined],
  ["src/client/utils.ts", '"utils" says nothing: name it after what it exports'],
  ["src/helpers/x.ts", '"helpers" says nothing: name it after what it exports'],
  ["src/client/types.test.ts", '"types" says nothing: name it after what it exports'],
  ["src/client/fileName.ts", "file names are kebab-case"],
  ["src/client/file_name.ts", "file names are kebab-case"],
];

for (const [path, message] of cases) {
  test(`checkFileNames() ${message ? "refuses" : "allows"} ${path}`, () => {
    const findings = checkFileNames([{ path, text: "" }]);
    assert.deepEqual(findings, message ? [{ path, line: 1, message }] : []);
  });
}
