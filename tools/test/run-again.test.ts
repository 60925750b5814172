import assert from "node:assert/strict";
import { test } from "node:test";
import type { FileResult } from "./file-result.ts";
import { runAgain } from "./run-again.ts";

const good = (file: string): FileResult => {
  return { file, passed: 1, failures: [], skipped: [], durations: [], output: "" };
};
const bad = (file: string): FileResult => {
  return { ...good(file), passed: 0, failures: [{ names: ["one"], line: 1, error: "boom" }] };
};

test("runAgain() runs failed files once more, and keeps what failed first", async () => {
  const first = [good("a"), bad("b"), bad("c")];
  const ran: string[] = [];
  const settled = await runAgain(first, 2, async ({ file }) => {
    ran.push(file);
    return file === "b" ? good(file) : bad(file);
  });
  assert.deepEqual(ran, ["b", "c"]);
  assert.deepEqual(settled.results, [good("a"), good("b"), bad("c")]);
  assert.deepEqual(settled.unsteady, [bad("b")]);
});

test("runAgain() runs none above the limit, and none that passed", async () => {
  const never = (): never => assert.fail("a file ran again");
  const many = [bad("a"), bad("b")];
  assert.deepEqual(await runAgain(many, 1, never), { results: many, unsteady: [] });
  assert.deepEqual(await runAgain([bad("a")], 0, never), { results: [bad("a")], unsteady: [] });
  assert.deepEqual(await runAgain([good("a")], 3, never), { results: [good("a")], unsteady: [] });
});
