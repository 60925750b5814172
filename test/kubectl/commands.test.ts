import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { type AllFacts, commandFacts } from "./command-facts.ts";
import { ourKubectl } from "./our-kubectl.ts";

const file = new URL("recorded/commands.json", import.meta.url);
const recorded = JSON.parse(await readFile(file, "utf8")) as AllFacts;
const env = { HOME: "/home/user", PATH: "/usr/bin:/bin" };
const ours = await commandFacts(async (args) => {
  const { stdout } = await ourKubectl({ args, stdin: "", env, folder: tmpdir() });
  return stdout;
});

test("kubectl has upstream's commands", () => {
  assert.deepEqual(Object.keys(ours).sort(), Object.keys(recorded).sort());
});

for (const [path, { examples, ...facts }] of Object.entries(recorded)) {
  test(`${path} has upstream's usage line, aliases, flags, defaults, subcommands and sections`, () => {
    const { examples: ourExamples = 0, ...ourFacts } = ours[path] ?? {};
    assert.deepEqual(ourFacts, facts);
    assert.ok(ourExamples >= examples, `${ourExamples} examples, upstream has ${examples}`);
  });
}
