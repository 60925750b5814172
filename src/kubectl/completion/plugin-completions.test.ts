import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { after, before, describe, test } from "node:test";
import { systemClock } from "#/std/time/clock.ts";
import type { Host } from "../base/host.ts";
import { runKubectl } from "../run.ts";

const programs: Readonly<Record<string, string>> = {
  "kubectl-foo": "",
  "kubectl-foo-bar": "",
  "kubectl-foo-bar_baz": "",
  "kubectl-create-thing": "",
  "kubectl_complete-foo": 'printf "one\\tfirst\\nargs:%s\\n:4\\n" "$*"',
  "kubectl_complete-foo-bar_baz": "echo two",
};

const described = (name: string): string =>
  `${name}\tThe command ${name} is a plugin installed by the user`;

const cases: readonly { words: readonly string[]; answer: readonly string[] }[] = [
  { words: ["foo"], answer: [described("foo"), ":4"] },
  {
    words: ["foo", ""],
    answer: [described("bar"), described("bar-baz"), "one\tfirst", "args:", ":4"],
  },
  { words: ["foo", "x"], answer: ["one\tfirst", "args:x", ":4"] },
  { words: ["foo", "--flag", "y"], answer: ["one\tfirst", "args:--flag y", ":4"] },
  { words: ["foo", "bar-baz", "--z"], answer: ["two", ":0"] },
  { words: ["foo", "bar", "x"], answer: [":0"] },
  { words: ["missing", "x"], answer: [":0"] },
  { words: ["crea"], answer: ["create\tCreate a resource from a file or from stdin", ":4"] },
];

describe("__complete calls plugins", () => {
  let folder = "";
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "plugins-"));
    for (const [name, body] of Object.entries(programs)) {
      await writeFile(join(folder, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
    }
  });
  after(() => rm(folder, { recursive: true, force: true }));

  for (const { words, answer } of cases) {
    test(words.join(" "), async () => {
      const shown = await run(["__complete", ...words], folder);
      assert.deepEqual(shown.trimEnd().split("\n"), answer);
    });
  }

  for (const args of [["help"], ["--help"], []]) {
    test(`kubectl ${args.join(" ")} lists them, each program once`, async () => {
      const shown = await run(args, folder);
      const line = "  foo           The command foo is a plugin installed by the user\n";
      assert.ok(shown.includes(`\nSubcommands provided by plugins:\n${line.repeat(3)}\n`), shown);
    });
  }
});

/** Runs kubectl with the programs of a folder; returns what it prints. */
async function run(args: readonly string[], folder: string): Promise<string> {
  let shown = "";
  const collect = (write: Host["out"]["write"]): Host["out"] => ({
    write,
    isTerminal: false,
    columns: 0,
  });
  const code = await runKubectl(args, {
    out: collect((chunk) => {
      shown += chunk.toString();
    }),
    err: collect(() => undefined),
    stdin: Object.assign(Readable.from([]), { isTerminal: false }),
    env: { HOME: folder, PATH: `${folder}:/usr/bin:/bin` },
    cwd: folder,
    clock: systemClock,
    signal: new AbortController().signal,
  });
  assert.equal(code, 0);
  return shown;
}
