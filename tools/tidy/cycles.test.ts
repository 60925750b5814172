import assert from "node:assert/strict";
import { test } from "node:test";
import { checkFileCycles, checkFolderCycles, connected } from "./cycles.ts";

const files = (texts: Record<string, string>) =>
  Object.entries(texts).map(([path, text]) => ({ path, text }));

test("checkFolderCycles() names two folders that import each other, types included", () => {
  const findings = checkFolderCycles(
    files({
      "src/a/one.ts": 'import { two } from "#/b/two.ts";\nimport { three } from "#/b/three.ts";',
      "src/b/two.ts": '\nimport type { One } from "#/a/one.ts";',
      "src/b/three.ts": "export const three = 3;",
    }),
  );
  assert.deepEqual(findings, [
    {
      path: "src/b/two.ts",
      line: 2,
      message: "folders import each other: src/a, src/b; cut src/b -> src/a, or another of them",
    },
  ]);
});

test("checkFolderCycles() names a folder that its own parent imports and that imports its parent", () => {
  const findings = checkFolderCycles(
    files({
      "src/a/run.ts": 'import { child } from "./child/child.ts";',
      "src/a/child/child.ts": 'import { base } from "../base.ts";',
      "src/a/base.ts": "export const base = 1;",
    }),
  );
  assert.equal(findings.length, 1);
});

test("checkFolderCycles() finds a cycle over three folders, and allows imports in one direction", () => {
  const round = {
    "src/a/one.ts": 'import "#/b/two.ts";',
    "src/b/two.ts": 'import "#/c/three.ts";',
    "src/c/three.ts": 'import "#/a/other.ts";',
    "src/a/other.ts": "",
  };
  assert.equal(checkFolderCycles(files(round)).length, 1);
  assert.deepEqual(checkFolderCycles(files({ ...round, "src/c/three.ts": "" })), []);
});

test("checkFolderCycles() does not count tests", () => {
  const findings = checkFolderCycles(
    files({ "src/a/one.ts": 'import "#/b/two.ts";', "src/b/two.test.ts": 'import "#/a/one.ts";' }),
  );
  assert.deepEqual(findings, []);
});

test("checkFileCycles() finds files that need each other's values, not those that need types", () => {
  const one = { "src/a/one.ts": 'import { two } from "./two.ts";' };
  const bad = files({ ...one, "src/a/two.ts": 'import { one } from "./one.ts";' });
  assert.equal(checkFileCycles(bad).length, 1);
  const good = files({ ...one, "src/a/two.ts": 'import { type One } from "./one.ts";' });
  assert.deepEqual(checkFileCycles(good), []);
});

test("connected() finds parts, whatever the order of the nodes", () => {
  const graph = new Map([
    ["d", new Set(["a"])],
    ["a", new Set(["b"])],
    ["b", new Set(["c"])],
    ["c", new Set(["b", "e"])],
    ["e", new Set<string>()],
  ]);
  const parts = connected(graph).map((part) => [...part].sort().join(""));
  assert.deepEqual(parts.sort(), ["a", "bc", "d", "e"]);
});
