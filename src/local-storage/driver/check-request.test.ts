import assert from "node:assert/strict";
import { test } from "node:test";
import { capabilityProblem, page, sizeFor } from "./check-request.ts";

const file = { isBlock: false, fsType: undefined };
const sizes = [
  { range: undefined, wanted: file, bytes: 2 ** 30 },
  { range: { requiredBytes: 1, limitBytes: 0 }, wanted: file, bytes: 2 ** 24 },
  { range: { requiredBytes: 1, limitBytes: 0 }, wanted: { ...file, isBlock: true }, bytes: 4096 },
  { range: { requiredBytes: 2 ** 24 + 1, limitBytes: 0 }, wanted: file, bytes: 2 ** 24 + 4096 },
  { range: { requiredBytes: 0, limitBytes: 2 ** 25 }, wanted: file, bytes: 2 ** 25 },
];
for (const { range, wanted, bytes } of sizes) {
  test(`sizeFor() of ${JSON.stringify(range)} is ${bytes}`, () => {
    assert.equal(sizeFor(range, wanted), bytes);
  });
}

for (const [requiredBytes, limitBytes] of [
  [0, 4096],
  [2 ** 30, 2 ** 29],
  [-1, 0],
  [2 ** 24 + 1, 2 ** 24 + 2],
] as const) {
  test(`sizeFor() refuses ${requiredBytes} to ${limitBytes} bytes`, () => {
    assert.throws(() => sizeFor({ requiredBytes, limitBytes }, file), { code: "OUT_OF_RANGE" });
  });
}

const mode = (name: "SINGLE_NODE_WRITER" | "MULTI_NODE_MULTI_WRITER") => ({
  accessMode: { mode: name },
});
for (const [capabilities, problem] of [
  [[{ mount: {}, ...mode("SINGLE_NODE_WRITER") }], undefined],
  [[{ block: {}, ...mode("SINGLE_NODE_WRITER") }], undefined],
  [
    [{ mount: {}, ...mode("MULTI_NODE_MULTI_WRITER") }],
    "access mode MULTI_NODE_MULTI_WRITER is not supported: a volume is on one node",
  ],
  [
    [{ mount: { fsType: "ntfs" }, ...mode("SINGLE_NODE_WRITER") }],
    "file system ntfs is not supported: it is one of ext4, xfs",
  ],
  [
    [
      { mount: {}, ...mode("SINGLE_NODE_WRITER") },
      { block: {}, ...mode("SINGLE_NODE_WRITER") },
    ],
    "a volume is either a block device or a file system",
  ],
] as const) {
  test(`capabilityProblem() is ${problem}`, () => {
    assert.equal(capabilityProblem(capabilities), problem);
  });
}

for (const [maxEntries, startingToken, result] of [
  [0, "", { items: ["a", "b", "c"], nextToken: "" }],
  [2, "", { items: ["a", "b"], nextToken: "2" }],
  [2, "2", { items: ["c"], nextToken: "" }],
] as const) {
  test(`page() of ${maxEntries} from "${startingToken}"`, () => {
    assert.deepEqual(page(["a", "b", "c"], { maxEntries, startingToken }), result);
  });
}

test("page() refuses a token that it has not given", () => {
  for (const startingToken of ["x", "4", "-1"]) {
    assert.throws(() => page(["a"], { maxEntries: 0, startingToken }), { code: "ABORTED" });
  }
});
