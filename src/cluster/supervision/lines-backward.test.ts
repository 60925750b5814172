import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { linesBackward } from "./lines-backward.ts";

const long = "ä".repeat(50_000);
const many = Array.from({ length: 20_000 }, (_, index) => `line ${index}`);

for (const { name, text, lines } of [
  { name: "nothing", text: "", lines: [] },
  { name: "one line", text: "a\n", lines: ["a"] },
  { name: "a line without its end", text: "a\nb", lines: ["a", "b"] },
  { name: "empty lines", text: "\n\na\n\n", lines: ["", "", "a", ""] },
  {
    name: "lines longer than what is read at a time",
    text: `${long}\n${long}\n`,
    lines: [long, long],
  },
  { name: "more lines than are read at a time", text: `${many.join("\n")}\n`, lines: many },
]) {
  test(`linesBackward() of ${name}`, async () => {
    const folder = mkdtempSync(join(tmpdir(), "k8ts-lines-"));
    const file = join(folder, "log");
    writeFileSync(file, text);
    const found = await Array.fromAsync(linesBackward(file, statSync(file).size));
    rmSync(folder, { recursive: true });
    assert.deepEqual(found.reverse(), lines);
  });
}

test("linesBackward() of a file that is not there has no lines", async () => {
  assert.deepEqual(await Array.fromAsync(linesBackward("/nonexistent/log", 0)), []);
});
