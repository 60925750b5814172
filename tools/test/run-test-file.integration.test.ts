import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { FileResult } from "./file-result.ts";
import { RunFolder } from "./run-folder.ts";
import { runTestFile } from "./run-test-file.ts";

const head = `import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
`;

/** Runs a test file of that text. */
async function run(
  text: string,
  options: { readonly name?: string; readonly signal?: AbortSignal } = {},
): Promise<FileResult> {
  const root = mkdtempSync(join(tmpdir(), "run-test-file-"));
  using runFolder = RunFolder.create();
  try {
    writeFileSync(join(root, "a.test.ts"), head + text);
    const { signal = new AbortController().signal, name } = options;
    const result = await runTestFile({ file: "a.test.ts", root, runFolder, name, signal });
    assert.deepEqual(readdirSync(runFolder.path), [], "the file's folder is removed");
    return result;
  } finally {
    rmSync(root, { recursive: true });
  }
}

const errors = ({ failures }: FileResult): string[] => failures.map(({ error }) => error);

test("runTestFile() gives a file an environment of its own, and nothing else", async () => {
  process.env["K8TS_STRANGE"] = "1";
  const { passed, failures } = await run(`
    test("names", () => assert.deepEqual(Object.keys(process.env).sort(),
      ["HOME", "LANG", "LC_ALL", "NODE_COMPILE_CACHE", "PATH", "TMPDIR", "TZ"]));
    test("folders", () => {
      for (const name of ["HOME", "TMPDIR"]) writeFileSync(join(process.env[name], "file"), "");
      assert.equal(process.umask(), 0o022);
    });`);
  assert.deepEqual(failures, []);
  assert.equal(passed, 2);
});

test("runTestFile() reports passes, failures with their place, and skips", async () => {
  const { passed, failures, skipped, output } = await run(`
    test("good", () => process.stdout.write("written"));
    test("outer", async (t) => { await t.test("inner", () => { throw new Error("boom"); }); });
    test("later", { skip: "not now" }, () => undefined);`);
  assert.equal(passed, 1);
  assert.deepEqual(
    failures.map(({ names, line }) => ({ names, line })),
    [{ names: ["outer", "inner"], line: 8 }],
  );
  assert.match(failures[0]?.error ?? "", /^Error: boom\n/);
  assert.deepEqual(skipped, [{ name: "later", reason: "not now" }]);
  assert.equal(output, "written");
});

test("runTestFile() runs only tests that match a name", async () => {
  const text = `test("one", () => undefined); test("two", () => undefined);`;
  assert.equal((await run(text, { name: "^two" })).passed, 1);
});

test("runTestFile() reports a file that does not load, and one that exits early", async () => {
  const early = (code: number) => [
    `the process ended with exit code ${code} before its tests were done`,
  ];
  const broken = await run(`throw new Error("top");`);
  assert.deepEqual(errors(broken), early(1));
  assert.match(broken.output, /Error: top/);
  assert.deepEqual(errors(await run(`process.exit(3);`)), early(3));
});

test("runTestFile() ends and reports processes that a file leaves behind", async () => {
  const [error = ""] = errors(
    await run(
      `test("a", () => spawn("sleep", ["1000"], { detached: true, stdio: "ignore" }).unref());`,
    ),
  );
  const [, pid = ""] = /^it left processes behind:\n(\d+) sleep 1000$/.exec(error) ?? [];
  assert.notEqual(pid, "");
  assert.equal(existsSync(`/proc/${pid}/exe`), false);
});

test("runTestFile() ends a file when the run is aborted", async () => {
  const result = await run(
    `test("a", () => new Promise((resolve) => setTimeout(resolve, 100_000)));`,
    {
      signal: AbortSignal.timeout(300),
    },
  );
  assert.deepEqual(errors(result), ["the process was ended by SIGKILL before its tests were done"]);
});
