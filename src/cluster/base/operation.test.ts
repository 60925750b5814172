import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { begin, moving, quiet } from "#/testing/moving-operation.ts";
import { findOperation, finishOperation, runOperation } from "./operation.ts";
import { clusterPaths } from "./paths.ts";

function folderWith(...names: string[]): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), "operation-"));
  for (const name of names) writeFileSync(join(path, name), "");
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** The files of a folder, without what differs between two runs. */
const filesIn = (folder: string): string =>
  readdirSync(folder)
    .map((name) => name.replace(/\d+$/, "N"))
    .sort()
    .join(" ");

const fixture = JSON.stringify(import.meta.resolve("#/testing/moving-operation.ts"));

/** Runs the operation in a process that kills itself at a point. */
function runAndKill(folder: string, point: number, canUndo: boolean): void {
  const script = `const { begin } = await import(${fixture}); await begin(${JSON.stringify(folder)}, ${canUndo});`;
  const { signal, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    env: { ...process.env, K8TS_KILL_AT: String(point) },
    encoding: "utf8",
  });
  assert.equal(signal, "SIGKILL", stderr);
}

for (const point of [0, 1, 2, 3, 4, 5]) {
  test(`runOperation() killed at point ${point} is ended by the same command, and by \`up\``, async () => {
    for (const end of ["command", "up"]) {
      using folder = folderWith("old");
      const paths = clusterPaths(folder.path);
      runAndKill(folder.path, point, false);
      const steps = ["copy", "copy", "choose", "choose", "remove", "remove"];
      assert.equal((await findOperation(paths))?.step, steps[point]);
      if (end === "command") await begin(folder.path, false);
      else {
        assert.equal(
          await finishOperation(paths, [moving(false)], "after start", quiet),
          undefined,
        );
        assert.equal(await finishOperation(paths, [moving(false)], "before start", quiet), "move");
      }
      assert.equal(filesIn(folder.path), "chosen-N new");
      assert.equal(await finishOperation(paths, [moving(false)], "before start", quiet), undefined);
    }
  });
}

for (const point of [-1, -2, -3]) {
  test(`an operation that fails is undone, also after kill -9 at point ${point}`, async () => {
    using folder = folderWith("old", "broken");
    runAndKill(folder.path, point, true);
    const paths = clusterPaths(folder.path);
    assert.equal((await findOperation(paths))?.isUndone, true);
    assert.equal(await finishOperation(paths, [moving(true)], "before start", quiet), "move");
    assert.equal(filesIn(folder.path), "broken old");
  });
}

test("an operation that can't be undone waits at the step that failed", async () => {
  using folder = folderWith("old", "broken");
  const paths = clusterPaths(folder.path);
  await assert.rejects(begin(folder.path, false), /the disk is full/);
  assert.equal((await findOperation(paths))?.step, "remove");
  const other = { ...moving(false), name: "other" };
  await assert.rejects(
    runOperation(paths, other, { word: "x" }, quiet),
    /^CommandFailure: "move" was interrupted at the step "remove"; end it first/,
  );
  await assert.rejects(
    finishOperation(paths, [other], "before start", quiet),
    /this version does not know "move", which was interrupted at the step "remove"/,
  );
  rmSync(join(folder.path, "broken"));
  await begin(folder.path, false);
  assert.equal(filesIn(folder.path), "chosen-N new");
});
