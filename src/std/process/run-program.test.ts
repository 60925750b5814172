import assert from "node:assert/strict";
import { test } from "node:test";
import { ProgramError, runProgram } from "./run-program.ts";

test("runProgram() passes input and returns output", async () => {
  assert.equal(await runProgram("cat", ["-"], "hello"), "hello");
});

test("runProgram() throws the program's error output", async () => {
  await assert.rejects(runProgram("sh", ["-c", "echo bad >&2; exit 3"]), (error) => {
    assert(error instanceof ProgramError);
    assert.equal(error.message, "sh exited with status 3: bad");
    return error.exitCode === 3;
  });
});

test("runProgram() reports a missing program", async () => {
  const message = { message: "no-such-program failed: spawn no-such-program ENOENT" };
  await assert.rejects(runProgram("no-such-program", []), message);
});
