import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { parseArgs } from "node:util";

/**
 * `node compare.ts UPSTREAM OURS` compares two folders of results: `go test -json` in NAME.json, and ginkgo's report in
 * NAME.ginkgo.json. Prints the passed and run tests of each package and every difference; fails if there is one.
 */
type Results = Map<string, Map<string, string>>;

interface GinkgoSuite {
  readonly SpecReports?: readonly {
    readonly LeafNodeType: string;
    readonly LeafNodeText: string;
    readonly ContainerHierarchyTexts?: readonly string[];
    readonly State: string;
  }[];
}

/** Specs of a table may share one name: the later ones get a number. */
function* ginkgoTests(text: string): Generator<[string, string]> {
  const seen = new Map<string, number>();
  for (const suite of JSON.parse(text) as GinkgoSuite[]) {
    for (const spec of suite.SpecReports ?? []) {
      if (spec.LeafNodeType !== "It") continue;
      const name = [...(spec.ContainerHierarchyTexts ?? []), spec.LeafNodeText].join(" ");
      const count = (seen.get(name) ?? 0) + 1;
      seen.set(name, count);
      yield [count === 1 ? name : `${name} #${count}`, spec.State];
    }
  }
}

const goStates: Readonly<Record<string, string>> = {
  pass: "passed",
  fail: "failed",
  skip: "skipped",
};

function* goTests(text: string): Generator<[string, string]> {
  for (const line of text.split("\n").filter((line) => line.startsWith("{"))) {
    const event = JSON.parse(line) as { readonly Action: string; readonly Test?: string };
    const state = goStates[event.Action];
    if (event.Test !== undefined && state !== undefined) yield [event.Test, state];
  }
}

function load(folder: string): Results {
  const results: Results = new Map();
  for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()) {
    if (!file.endsWith(".json")) continue;
    const ginkgo = file.endsWith(".ginkgo.json");
    const name = join(dirname(file), basename(file, ginkgo ? ".ginkgo.json" : ".json"));
    const tests = results.get(name) ?? new Map<string, string>();
    const text = readFileSync(join(folder, file), "utf8");
    for (const [test, state] of ginkgo ? ginkgoTests(text) : goTests(text)) tests.set(test, state);
    results.set(name, tests);
  }
  return results;
}

const notRun = new Set(["skipped", "pending"]);
function score(tests: ReadonlyMap<string, string> = new Map()): string {
  const run = [...tests.values()].filter((state) => !notRun.has(state));
  return `${run.filter((state) => state === "passed").length}/${run.length}`;
}

const [upstreamFolder = "", oursFolder = ""] = parseArgs({ allowPositionals: true }).positionals;
const upstream = load(upstreamFolder);
const ours = load(oursFolder);
for (const name of [...new Set([...upstream.keys(), ...ours.keys()])].sort()) {
  process.stdout.write(
    `${name}: upstream ${score(upstream.get(name))}, ours ${score(ours.get(name))}\n`,
  );
  const theirs = upstream.get(name) ?? new Map<string, string>();
  const mine = ours.get(name) ?? new Map<string, string>();
  for (const test of new Set([...theirs.keys(), ...mine.keys()])) {
    const [expected = "missing", actual = "missing"] = [theirs.get(test), mine.get(test)];
    if (expected === actual) continue;
    process.stdout.write(`  differs: ${test}: upstream ${expected}, ours ${actual}\n`);
    process.exitCode = 1;
  }
}
