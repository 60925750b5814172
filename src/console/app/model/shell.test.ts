import assert from "node:assert/strict";
import { test } from "node:test";
import { checkCases } from "#/testing/check-cases.ts";
import { attachPath, debugName, hasNoShell, shellPath } from "./shell.ts";

test("shellPath() asks for a terminal, and escapes names", () => {
  const url = new URL(shellPath({ namespace: "a", pod: "p", container: "c&d" }), "http://x");
  assert.equal(url.pathname, "/api/v1/namespaces/a/pods/p/exec");
  assert.deepEqual(url.searchParams.getAll("command").slice(0, 2), ["sh", "-c"]);
  assert.deepEqual(
    ["container", "stdin", "stdout", "tty", "stderr"].map((name) => url.searchParams.get(name)),
    ["c&d", "true", "true", "true", null],
  );
  assert.match(attachPath({ namespace: "a", pod: "p", container: "c" }), /\/attach\?container=c&/);
});

checkCases("hasNoShell", hasNoShell, [
  [
    'exec failed: unable to start container process: exec: "sh": executable file not found in $PATH',
    true,
  ],
  ["command terminated with non-zero exit code", false],
]);

checkCases("debugName", debugName, [
  [["main"], "debugger-1"],
  [["debugger-1", "debugger-2"], "debugger-3"],
]);
