import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { flagUsage } from "./flag-usage.ts";
import { parseFlags } from "./flags.ts";
import { configureLogging, logger } from "./log.ts";
import { applyLogFlags, logFlags } from "./log-flags.ts";

afterEach(() => configureLogging({ format: "text", verbosity: 0, vmodule: [] }));

test("applyLogFlags() sets level and levels by component", () => {
  const { values } = parseFlags(logFlags, ["-v3", "--vmodule=kubelet=7", "--log-format=json"]);
  assert.deepEqual(
    [values["logging-format"], values.v, values.vmodule],
    ["json", 3, [{ pattern: "kubelet", level: 7 }]],
  );
  applyLogFlags(values);
  assert.deepEqual([logger("kubelet").enabled(7), logger("scheduler").enabled(3)], [true, true]);
  assert.deepEqual([logger("kubelet").enabled(8), logger("scheduler").enabled(4)], [false, false]);
});

const bad: readonly [string, string][] = [
  [
    "--v=-1",
    'invalid argument "-1" for "-v, --v" flag: strconv.ParseUint: parsing "-1": invalid syntax',
  ],
  [
    "--vmodule=a",
    'invalid argument "a" for "--vmodule" flag: "a" does not have the pattern=N format',
  ],
  [
    "--logging-format=x",
    'invalid argument "x" for "--logging-format" flag: Unsupported log format',
  ],
];

for (const [arg, message] of bad) {
  test(`logFlags refuse ${arg}`, () => {
    assert.throws(() => parseFlags(logFlags, [arg]), { message });
  });
}

test("logFlags show their usage as upstream's", () => {
  const usage = flagUsage(logFlags).split("\n");
  assert.deepEqual(
    usage.map((line) => line.slice(0, 33).trimEnd()),
    [
      "      --logging-format string   S",
      "  -v, --v Level                 n",
      "      --vmodule pattern=N,...   c",
      "",
    ],
  );
});
