import assert from "node:assert/strict";
import { test } from "node:test";
import { frameTypes, numbersFrame, preface, settingsFrame } from "./frame.ts";
import { FrameReader } from "./frame-reader.ts";

const bytes = Buffer.concat([
  preface,
  settingsFrame([[3, 100]]),
  numbersFrame(frameTypes.windowUpdate, 7, 1000),
  numbersFrame(frameTypes.reset, 9, 8),
]);

test("FrameReader finds the same frames wherever the bytes are split", () => {
  for (let size = 1; size <= bytes.length; size++) {
    const reader = new FrameReader();
    const found: string[] = [];
    for (let at = 0; at < bytes.length; at += size) {
      for (const frame of reader.read(bytes.subarray(at, at + size))) {
        found.push(`${frame.type} ${frame.streamId} ${frame.payload.toString("hex")}`);
      }
    }
    assert.deepEqual(found, ["4 0 000300000064", "8 7 000003e8", "3 9 00000008"], `cut at ${size}`);
  }
});
