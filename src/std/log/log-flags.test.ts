import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { flagUsage } from "../flags/flag-usage.ts";
import { FlagError, parseFlags } from "../flags/flags.ts";
import { configureLogging, logger } from "./log.ts";
import { applyLogFlags, logFlags } from "./log-flags.ts";

afterEach(() =>
  configureLogging({
    format: "text",
    verbosity: 0,
    vmodule: [],
    splitStream: false,
    write: (line) => process.stderr.write(line),
  }),
);

test("applyLogFlags() sets level and levels by component", () => {
  const { values } = parseFlags(logFlags, ["-v3", "--vmodule=kubelet=7", "--log-format=text"]);
  assert.deepEqual(
    [values["logging-format"], values.v, values.vmodule],
    ["text", 3, [{ pattern: "kubelet", level: 7 }]],
  );
  applyLogFlags(values);
  assert.deepEqual([logger("kubelet").enabled(7), logger("scheduler").enabled(3)], [true, true]);
  assert.deepEqual([logger("kubelet").enabled(8), logger("scheduler").enabled(4)], [false, false]);
});

// The errors of kube-apiserver v1.37.1 for the same flags.
for (const [args, message] of [
  [
    ["--log-text-split-stream"],
    "options.text.splitStream: Forbidden: Feature LoggingAlphaOptions is disabled",
  ],
  [
    ["--log-json-info-buffer-size=1Ki"],
    "options.json.infoBufferSize: Forbidden: Feature LoggingAlphaOptions is disabled",
  ],
  [
    ["--logging-format=json", "--vmodule=a=1"],
    "vmodule: Forbidden: Only supported for text log format",
  ],
  [["--log-flush-frequency=0s"], 'flushFrequency: Invalid value: "0s": Must be greater than zero'],
] as const) {
  test(`applyLogFlags() refuses ${args.join(" ")}`, () => {
    const { values } = parseFlags(logFlags, args);
    assert.throws(() => applyLogFlags(values), new FlagError(message));
  });
}

test("applyLogFlags() splits the log if that is allowed", (t) => {
  const { values } = parseFlags(logFlags, ["--log-text-split-stream"]);
  applyLogFlags({ ...values, "feature-gates": { LoggingAlphaOptions: true } });
  const written: string[] = [];
  t.mock.method(process.stdout, "write", (line: string) => written.push(`out ${line}`) > 0);
  configureLogging({ write: (line) => written.push(`err ${line}`) });
  const log = logger("split");
  log.info("fine");
  log.error(new Error("x"), "bad");
  t.mock.restoreAll();
  assert.deepEqual(
    written.map((line) => /^(out|err) .*"(fine|bad)"/.exec(line)?.slice(1)),
    [
      ["out", "fine"],
      ["err", "bad"],
    ],
  );
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
