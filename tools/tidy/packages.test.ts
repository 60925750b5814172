import assert from "node:assert/strict";
import { test } from "node:test";
import { checkPackages } from "./packages.ts";

test("checkPackages() refuses packages that programs lack or don't need", () => {
  const files = [
    { path: "src/std/a.ts", text: 'import { parse } from "yaml";\nimport "@scope/lost/deep.js";' },
    { path: "src/std/b.ts", text: 'import "node:fs";\nimport "#/std/a.ts";\nimport "./c.ts";' },
    { path: "src/std/a.test.ts", text: 'import "grpc";\nimport "fast-check";' },
    { path: "src/testing/server.ts", text: 'import "grpc";' },
  ];
  const manifest = `{
  "dependencies": {
    "yaml": "1",
    "grpc": "1"
  }
}`;
  assert.deepEqual(checkPackages(files, manifest), [
    {
      path: "src/std/a.ts",
      line: 2,
      message: "@scope/lost is not among the dependencies of package.json",
    },
    {
      path: "package.json",
      line: 4,
      message: "no program imports grpc: move it to devDependencies or remove it",
    },
  ]);
});
