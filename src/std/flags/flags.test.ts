import assert from "node:assert/strict";
import { test } from "node:test";
import type { FlagType } from "./flag-types.ts";
import { defaultValues, FlagError, type FlagSet, parseFlags } from "./flags.ts";

const hostPort: FlagType<{ host: string; port: number }> = {
  label: "host:port",
  zero: { host: "", port: 0 },
  parse(text) {
    const match = /^(.+):(\d+)$/.exec(text);
    if (!match) throw new SyntaxError("want host:port");
    return { host: match[1] ?? "", port: Number(match[2]) };
  },
  format: ({ host, port }) => `${host}:${port}`,
};

const flags = {
  name: { type: "string", shorthand: "n", default: "x", help: "" },
  all: { type: "bool", shorthand: "a", help: "" },
  watch: { type: "bool", shorthand: "w", default: true, help: "" },
  "max-pods": { type: "int32", default: 110, help: "" },
  rate: { type: "float", help: "" },
  verbose: { type: "count", shorthand: "V", help: "" },
  level: { type: "int", shorthand: "v", help: "" },
  "sync-period": { type: "duration", default: 10_000, help: "" },
  list: { type: "stringSlice", default: ["d"], help: "" },
  array: { type: "stringArray", help: "" },
  labels: { type: "stringToString", help: "" },
  "node-labels": { type: "mapStringString", default: { d: "1" }, help: "" },
  "runtime-config": { type: "configurationMap", help: "" },
  "feature-gates": { type: "featureGates", help: "" },
  "bind-address": { type: "ip", default: "0.0.0.0", help: "" },
  "cluster-cidr": { type: "cidr", help: "" },
  "dry-run": { type: "string", default: "none", bare: "unchanged", help: "" },
  listen: { type: hostPort, default: { host: "localhost", port: 1 }, help: "" },
  old: { type: "string", help: "", deprecated: "use --name" },
} satisfies FlagSet;

type Values = ReturnType<typeof defaultValues<typeof flags>>;

const good: readonly { line: string; values?: Partial<Values>; args?: string[] }[] = [
  { line: "", values: {} },
  { line: "--name=a", values: { name: "a" } },
  { line: "--name a b", values: { name: "a" }, args: ["b"] },
  { line: "--name=", values: { name: "" } },
  { line: "--name --all", values: { name: "--all" } },
  { line: "-na -n=b", values: { name: "b" } },
  { line: "-n a", values: { name: "a" } },
  { line: "--all --watch=false", values: { all: true, watch: false } },
  { line: "--no-watch --all false", values: { watch: false, all: true }, args: ["false"] },
  { line: "-aw=false -VV", values: { all: true, watch: false, verbose: 2 } },
  { line: "-anb", values: { all: true, name: "b" } },
  { line: "-v3", values: { level: 3 } },
  { line: "--max_pods=5", values: { "max-pods": 5 } },
  { line: "--rate=0.5 --sync-period=1h30m", values: { rate: 0.5, "sync-period": 5_400_000 } },
  { line: "--list=a,b --list=c", values: { list: ["a", "b", "c"] } },
  { line: '--list="a,b",c', values: { list: ["a,b", "c"] } },
  { line: "--list=", values: { list: [] } },
  { line: "--array=a,b --array=c", values: { array: ["a,b", "c"] } },
  { line: "--labels=a=b,c=d --labels=a=e", values: { labels: { a: "e", c: "d" } } },
  { line: "--labels=a=b,c", values: { labels: { a: "b,c" } } },
  { line: "--node-labels=a=b=c,,d=", values: { "node-labels": { a: "b=c", d: "" } } },
  {
    line: "--runtime-config=api/all=true,x",
    values: { "runtime-config": { "api/all": "true", x: "" } },
  },
  {
    line: "--feature-gates=A=true,B=f --feature-gates=C=1",
    values: { "feature-gates": { A: true, B: false, C: true } },
  },
  { line: "--bind-address=::FFFF:1.2.3.4", values: { "bind-address": "1.2.3.4" } },
  { line: "--cluster-cidr=10.1.2.3/16", values: { "cluster-cidr": "10.1.0.0/16" } },
  { line: "--dry-run server", values: { "dry-run": "unchanged" }, args: ["server"] },
  { line: "--dry-run=server", values: { "dry-run": "server" } },
  { line: "--listen=a:5", values: { listen: { host: "a", port: 5 } } },
  {
    line: "a - --name=b -- --name=c -x",
    values: { name: "b" },
    args: ["a", "-", "--name=c", "-x"],
  },
];

for (const { line, values = {}, args = [] } of good) {
  test(`parseFlags() reads ${line || "nothing"}`, () => {
    const parsed = parseFlags(flags, line.split(" ").filter(Boolean));
    assert.deepEqual(parsed.values, { ...defaultValues(flags), ...values });
    assert.deepEqual(parsed.args, args);
    assert.deepEqual([...parsed.changed].sort(), Object.keys(values).sort());
  });
}

const bad: readonly [string, string][] = [
  ["--foo", "unknown flag: --foo"],
  ["--foo=1", "unknown flag: --foo"],
  ["--no-name", "unknown flag: --no-name"],
  ["--no-foo", "unknown flag: --no-foo"],
  ["--constructor", "unknown flag: --constructor"],
  ["-x", "unknown shorthand flag: 'x' in -x"],
  ["-ax5", "unknown shorthand flag: 'x' in -x5"],
  ["--name", "flag needs an argument: --name"],
  ["-an", "flag needs an argument: 'n' in -n"],
  ["--=a", "bad flag syntax: --=a"],
  ["---a", "bad flag syntax: ---a"],
  [
    "--max-pods=x",
    'invalid argument "x" for "--max-pods" flag: strconv.ParseInt: parsing "x": invalid syntax',
  ],
  [
    "--max-pods=2147483648",
    'invalid argument "2147483648" for "--max-pods" flag: strconv.ParseInt: parsing "2147483648": value out of range',
  ],
  [
    "--all=maybe",
    'invalid argument "maybe" for "-a, --all" flag: strconv.ParseBool: parsing "maybe": invalid syntax',
  ],
  [
    "--sync-period=5",
    'invalid argument "5" for "--sync-period" flag: time: missing unit in duration "5"',
  ],
  ["--labels=a", 'invalid argument "a" for "--labels" flag: a must be formatted as key=value'],
  [
    "--node-labels=a",
    'invalid argument "a" for "--node-labels" flag: malformed pair, expect string=string',
  ],
  [
    "--feature-gates=A",
    'invalid argument "A" for "--feature-gates" flag: missing bool value for A',
  ],
  [
    "--feature-gates=A=x",
    'invalid argument "A=x" for "--feature-gates" flag: invalid value of A=x, err: strconv.ParseBool: parsing "x": invalid syntax',
  ],
  [
    "--bind-address=1.2.3",
    'invalid argument "1.2.3" for "--bind-address" flag: failed to parse IP: "1.2.3"',
  ],
  [
    "--cluster-cidr=1.2.3.4",
    'invalid argument "1.2.3.4" for "--cluster-cidr" flag: invalid CIDR address: 1.2.3.4',
  ],
  ["--listen=a", 'invalid argument "a" for "--listen" flag: want host:port'],
];

for (const [line, message] of bad) {
  test(`parseFlags() refuses ${line}`, () => {
    assert.throws(() => parseFlags(flags, line.split(" ")), new FlagError(message));
  });
}

test("parseFlags() stops at the first argument when flags may not follow", () => {
  const { values, args } = parseFlags(flags, ["-a", "sh", "-n", "x"], { interspersed: false });
  assert.deepEqual([values.all, values.name, args], [true, "x", ["sh", "-n", "x"]]);
});

test("parseFlags() counts the arguments before --", () => {
  assert.equal(parseFlags(flags, ["pod", "--", "ls", "-l"]).argsBeforeDash, 1);
  assert.equal(parseFlags(flags, ["pod", "ls"]).argsBeforeDash, undefined);
});

test("parseFlags() detects --help and -h at any position", () => {
  for (const line of ["--help", "-h", "get -ah"]) {
    assert.equal(parseFlags(flags, line.split(" ")).help, true, line);
  }
  assert.equal(parseFlags(flags, ["--", "-h"]).help, false);
});

test("parseFlags() allows a program its own help and -h", () => {
  const own = { host: { type: "string", shorthand: "h", help: "" } } satisfies FlagSet;
  assert.equal(parseFlags(own, ["-h", "a"]).values.host, "a");
});

test("parseFlags() warns of deprecated flags", () => {
  assert.deepEqual(parseFlags(flags, ["--old=1"]).warnings, [
    "Flag --old has been deprecated, use --name",
  ]);
});

test("parseFlags() knows aliases", () => {
  const aliased = { name: { type: "string", aliases: ["nom"], help: "" } } satisfies FlagSet;
  const { values, changed } = parseFlags(aliased, ["--nom=a"]);
  assert.deepEqual([values.name, [...changed]], ["a", ["name"]]);
});
