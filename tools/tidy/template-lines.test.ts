import assert from "node:assert/strict";
import { test } from "node:test";
import { checkTemplateLines } from "./template-lines.ts";

test("checkTemplateLines() finds lines of templates that would be cut off", () => {
  const linesOf = (text: string, path = "src/a.ts") =>
    checkTemplateLines([{ path, text }]).map(({ line }) => line);
  assert.deepEqual(linesOf("const a = `one\n  // two\nthree \n/* four */`;"), [2, 3, 4]);
  assert.deepEqual(linesOf("const a = `one $" + "{b\n  // two\n} three // four`;\n// `\n"), []);
  assert.deepEqual(linesOf("const a = `$" + "{`x\n// y`}`;"), [2]);
  assert.deepEqual(linesOf("const a = `one\n// two`;", "src/a.test.ts"), []);
});
