import assert from "node:assert/strict";
import { test } from "node:test";
import { readPemBlocks, writePem } from "./pem.ts";

const der = Buffer.from("a certificate, or as long as one, so that it takes more than a line");
const plain = writePem("CERTIFICATE", der);

const cases = [
  { name: "what was written", text: plain, found: ["CERTIFICATE"] },
  {
    name: "blocks among other text",
    text: `x\n${plain}y\n${plain}`,
    found: ["CERTIFICATE", "CERTIFICATE"],
  },
  {
    name: "lines of any length",
    text: plain.replace(/(?<=\w)\n(?=\w)/g, ""),
    found: ["CERTIFICATE"],
  },
  { name: "carriage returns", text: plain.replaceAll("\n", "\r\n"), found: ["CERTIFICATE"] },
  { name: "an end that fits no beginning", text: plain.replace("END CERT", "END X"), found: [] },
  { name: "nothing", text: "", found: [] },
  {
    name: "a block within another that has no end",
    text: `-----BEGIN A-----\n${plain}`,
    found: ["CERTIFICATE"],
  },
  {
    name: "a megabyte of beginnings without an end",
    text: `${"-----BEGIN A-----\n".repeat(60_000)}${plain}`,
    found: ["CERTIFICATE"],
  },
];
for (const { name, text, found } of cases) {
  test(`readPemBlocks() reads ${name}`, () => {
    const blocks = readPemBlocks(text);
    assert.deepEqual(
      blocks.map(({ type }) => type),
      found,
    );
    for (const block of blocks) assert.deepEqual(block.der, der);
  });
}

test("readPemBlocks() says of headers, and keeps them out of the data", () => {
  const text = plain.replace("-----\n", "-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: x\n\n");
  const [block] = readPemBlocks(text);
  assert.deepEqual(block, { type: "CERTIFICATE", hasHeaders: true, der, text: text.trimEnd() });
});
