import assert from "node:assert/strict";
import { test } from "node:test";
import { hasSoundProgress } from "./progress-support.ts";

const sound = ["3.4.31", "3.4.33", "3.5.13", "3.5.21", "3.6.0", "3.6.0-rc.1", "3.7.0", "4.0.0"];
const unsound = ["3.3.27", "3.4.0", "3.4.23", "3.4.30", "3.5.0", "3.5.12", "2.3.8", "", "banana"];

for (const [versions, expected] of [
  [sound, true],
  [unsound, false],
] as const) {
  for (const version of versions) {
    test(`hasSoundProgress(${version}) is ${expected}`, () => {
      assert.equal(hasSoundProgress(version), expected);
    });
  }
}
