import assert from "node:assert/strict";
import { test } from "node:test";
import { readPemBlocks, writePem } from "./pem.ts";

const der = Buffer.from("a certificate, or as long as one, so that it takes more than a line");
const plain = writePem("CERTIFICATE", der);

const cases = [
  { name: "the output of writePem()", text: plain, found: ["CERTIFICATE"] },
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

// The blocks that Go 1.26's encoding/pem finds: type, whether there are headers, and data.
const asGo: readonly (readonly [text: string, found: string])[] = [
  ["-----BEGIN A-----\nAAAA\n-----END A-----", "A false 000000"],
  [" -----BEGIN A-----\nAAAA\n-----END A-----", ""],
  [
    "-----BEGIN A-----\nAA*A\n-----END A-----\n-----BEGIN B-----\nAAAA\n-----END B-----",
    "B false 000000",
  ],
  ["-----BEGIN A-----\nAAA\n-----END A-----", ""],
  ["-----BEGIN A-----\nAAA=\n-----END A-----", "A false 0000"],
  ["-----BEGIN A-----\nAAA==\n-----END A-----", ""],
  ["-----BEGIN A-----\nAB==\n-----END A-----", "A false 00"],
  ["-----BEGIN A-----\nA A\tA A\r\n-----END A-----", "A false 000000"],
  ["-----BEGIN A-----\nAA-_\n-----END A-----", ""],
  ["-----BEGIN A-----\nAAAA-----END A-----", ""],
  ["-----BEGIN A-----\n-----END A-----", "A false "],
  ["-----BEGIN -----\nAAAA\n-----END -----", " false 000000"],
  ["-----BEGIN A-B-----\nAAAA\n-----END A-B-----", "A-B false 000000"],
  ["-----BEGIN A----- \t\nAAAA\n-----END A----- \t\r\n", "A false 000000"],
  ["-----BEGIN A-----x\nAAAA\n-----END A-----", ""],
  ["-----BEGIN A-----\nAAAA\n-----END A-----x", ""],
  ["-----BEGIN A-----\nAAAA\n-----END A-----\r", ""],
  ["-----BEGIN A-----\nAAAA\n-----END A-----\n\n=", "A false 000000"],
  ["-----BEGIN A-----\nK: v\n\nAAAA\n-----END A-----", "A true 000000"],
  ["-----BEGIN A-----\nK: v\nAAAA\n-----END A-----", "A true 000000"],
  ["-----BEGIN A-----\nAAAA\nK: v\n-----END A-----", ""],
  [
    "-----BEGIN A-----\nK: v\n-----END A-----\n-----BEGIN B-----\nAAAA\n-----END B-----",
    "B false 000000",
  ],
  ["-----BEGIN A:-----\nK: v\n-----END A:-----\n-----BEGIN B-----\nAAAA\n-----END B-----", ""],
  [
    "-----BEGIN A-----\nAAAA\n-----END B-----\n-----BEGIN B-----\nAAAA\n-----END B-----",
    "B false 000000",
  ],
  ["-----END A-----\n-----BEGIN A-----\nAAAA\n-----END A-----", "A false 000000"],
  ["x\n-----END -----BEGIN A-----\nAAAA\n-----END A-----", "A false 000000"],
];
for (const [text, found] of asGo) {
  test(`readPemBlocks() reads ${JSON.stringify(text)} as Go does`, () => {
    const blocks = readPemBlocks(text).map(
      ({ type, hasHeaders, der: data }) => `${type} ${hasHeaders} ${data.toString("hex")}`,
    );
    assert.equal(blocks.join(", "), found);
  });
}

test("readPemBlocks() reports headers, and keeps them out of the data", () => {
  const text = plain.replace("-----\n", "-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: x\n\n");
  const [block] = readPemBlocks(text);
  assert.deepEqual(block, { type: "CERTIFICATE", hasHeaders: true, der, text: text.trimEnd() });
});
