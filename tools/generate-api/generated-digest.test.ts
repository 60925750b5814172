import assert from "node:assert/strict";
import { test } from "node:test";
import { computeDigest, recordedDigest } from "./generated-digest.ts";

test("src/api and the vectors are what this generator has written", () => {
  assert.equal(recordedDigest(), computeDigest(), "run node tools/generate-api/generate-api.ts");
});
