import assert from "node:assert/strict";
import { test } from "node:test";
import { splitHostPort } from "./host-port.ts";

for (const [text, expected] of [
  ["127.0.0.1:80", { host: "127.0.0.1", port: 80 }],
  ["[::1]:80", { host: "::1", port: 80 }],
  [":80", { host: "", port: 80 }],
  ["::1", undefined],
  ["localhost", undefined],
] as const) {
  test(`splitHostPort() reads ${text}`, () => {
    assert.deepEqual(splitHostPort(text), expected);
  });
}
