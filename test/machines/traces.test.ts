import assert from "node:assert/strict";
import { test } from "node:test";
import { added, parseTraces } from "./traces.ts";

test("added() returns the new lines, by kind", () => {
  const before = parseTraces("=== links\nlo\neth0\n=== users\nroot\n");
  const after = parseTraces("=== links\nlo\ncni0\n=== users\nroot\n=== mounts\n/x tmpfs\n");
  assert.deepEqual(added(before, after), ["links: cni0", "mounts: /x tmpfs"]);
  assert.deepEqual(added(after, after), []);
});
