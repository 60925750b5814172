import assert from "node:assert/strict";
import { test } from "node:test";
import { checkPodFiles } from "./pod-files.ts";

const cases = [
  { path: "src/kubelet/volumes/a.ts", code: 'import { chmod } from "node:fs/promises";', found: 1 },
  {
    path: "src/kubelet/volumes/a.ts",
    code: 'import {\n  openSync,\n  statfsSync,\n} from "node:fs";',
    found: 2,
  },
  { path: "src/kubelet/volumes/a.ts", code: 'import { mkdir } from "node:fs/promises";', found: 0 },
  { path: "src/kubelet/files/a.ts", code: 'import { openSync } from "node:fs";', found: 0 },
  { path: "src/kubelet/volumes/a.test.ts", code: 'import { openSync } from "node:fs";', found: 0 },
  { path: "src/proxy/a.ts", code: 'import { openSync } from "node:fs";', found: 0 },
];
for (const { path, code, found } of cases) {
  test(`checkPodFiles() finds ${found} calls in ${path}: ${code.replaceAll("\n", " ")}`, () => {
    assert.equal(checkPodFiles([{ path, text: code }]).length, found);
  });
}
