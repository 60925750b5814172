import assert from "node:assert/strict";
import { test } from "node:test";
import { TabWriter, type TabWriterOptions } from "./tab-writer.ts";

function aligned(texts: readonly string[], options?: TabWriterOptions): string {
  const parts: string[] = [];
  const writer = new TabWriter((part) => void parts.push(part), options);
  for (const text of texts) {
    writer.write(text);
    writer.flush();
  }
  return parts.join("");
}

test("columns are as wide as their widest cell", () => {
  assert.equal(
    aligned(["NAME\tREADY\nlonger-name\t1/1\n"]),
    "NAME          READY\nlonger-name   1/1\n",
  );
});

test("a column has a minimum width", () => {
  assert.equal(aligned(["a\tb\n"]), "a     b\n");
});

test("widths are remembered over flushes", () => {
  assert.equal(aligned(["longer-name\tx\n", "a\tx\n"]), "longer-name   x\na             x\n");
});

test("without memory a column ends where lines have no cell in it", () => {
  const options = { minWidth: 0, padding: 2, remembersWidths: false };
  assert.equal(
    aligned(["Name:\tx\nPlain\nLonger:\ty\n"], options),
    "Name:  x\nPlain\nLonger:  y\n",
  );
});
