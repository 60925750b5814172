import assert from "node:assert/strict";
import { test } from "node:test";
import { FlagError, type FlagSet, parseFlags } from "#/std/flags/flags.ts";
import { logFlags } from "#/std/log/log-flags.ts";
import { componentCommand, globalFlags } from "./component-command.ts";

const flags = {
  size: { type: "int", help: "How big." },
  ...logFlags,
  ...globalFlags,
} satisfies FlagSet;

const given: unknown[] = [];
const { main, start } = componentCommand({
  parse: (args) => parseFlags(flags, args),
  usage: () => "size\n",
  run: async ({ values }, signal, embedding) => {
    given.push(values.size, signal.aborted, embedding);
  },
});

for (const [args, code, stdout, stderr, ran] of [
  [["--help"], 0, "size\n", "", []],
  [["--version"], 0, "Kubernetes v1.37.1\n", "", []],
  [["--version=raw"], 0, "Kubernetes v1.37.1\n", "", []],
  [["--version=v1.37.1-custom", "--size=2"], 0, "", "", [2, false, undefined]],
  [
    ["--version=v1.36.0"],
    1,
    "",
    'Error: invalid argument "v1.36.0" for "--version" flag: version "v1.36.0" must match major/minor/patch of default version "v1.37.1"\n',
    [],
  ],
  [
    ["--version=v1"],
    1,
    "",
    'Error: invalid argument "v1" for "--version" flag: could not parse "v1" as version\n',
    [],
  ],
  [["--size=3"], 0, "", "", [3, false, undefined]],
  [["--none"], 1, "", "Error: unknown flag: --none\n", []],
] as const) {
  test(`componentCommand() runs with ${args}`, async (t) => {
    given.length = 0;
    const out = t.mock.method(process.stdout, "write", () => true);
    const err = t.mock.method(process.stderr, "write", () => true);
    const result = await main(args);
    const written = (stream: typeof out) =>
      stream.mock.calls.map((call) => String(call.arguments[0])).join("");
    const seen = [result, written(out), written(err)];
    t.mock.restoreAll();
    assert.deepEqual(seen, [code, stdout, stderr]);
    assert.deepEqual(given, ran);
  });
}

test("componentCommand() starts in a process with other components", async () => {
  given.length = 0;
  const { signal } = new AbortController();
  await start(["--size=5"], signal, {});
  assert.deepEqual(given, [5, false, {}]);
  await assert.rejects(start(["--size=x"], signal), FlagError);
});
