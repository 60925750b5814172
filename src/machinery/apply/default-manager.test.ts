import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultManager } from "./default-manager.ts";

test("defaultManager() takes the program name of a user agent", () => {
  assert.equal(defaultManager("kubectl/v1.37.1 (linux/amd64) kubernetes/abc"), "kubectl");
  assert.equal(defaultManager("Go-http-client"), "Go-http-client");
  assert.equal(defaultManager(""), "");
  assert.equal(defaultManager("a\u0000b\u200bc d/1"), "abc d");
});

test("defaultManager() is limited to 128 bytes", () => {
  assert.equal(defaultManager("é".repeat(100)), "é".repeat(64));
});
