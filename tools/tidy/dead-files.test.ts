import assert from "node:assert/strict";
import { test } from "node:test";
import { checkDeadFiles } from "./dead-files.ts";

test("checkDeadFiles() finds files that no other file names", () => {
  const files = [
    { path: "bin/k8ts.ts", text: 'import { main } from "#/cluster/main.ts";' },
    { path: "src/cluster/main.ts", text: 'new URL("./worker.ts", import.meta.url)' },
    { path: "src/cluster/worker.ts", text: "" },
    { path: "src/cluster/lonely.ts", text: 'import "./lonely.ts";' },
    { path: "src/cluster/main.test.ts", text: "" },
    { path: "bench/codec.ts", text: "" },
  ];
  assert.deepEqual(checkDeadFiles(files), [
    {
      path: "src/cluster/lonely.ts",
      line: 1,
      message: "nobody imports this file: use it or delete it",
    },
  ]);
});
