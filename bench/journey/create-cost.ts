import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { makeCredentials, ours } from "../apiserver/contender.ts";
import { median } from "./median.ts";

/** Pods of one run with records and without, and slices that they are cut into, which take turns. */
const pods = 8000;
const slices = 16;
const runs = 5;
/** Time after each slice that counts as a part of it (ms): files are written after 250. */
const restMs = 400;
const sources = ["load.go", "objects.go"].map((name) =>
  join(import.meta.dirname, "../apiserver", name),
);
const toggle = new URL("toggle-recording.ts", import.meta.url);

interface Measured {
  readonly sliceMicros: readonly number[];
  readonly sliceRates: readonly number[];
}

type Kind = "on" | "off";
type Results = Readonly<Record<Kind, { readonly create: Measured; readonly delete: Measured }>>;

/** Creates and deletions of Pods that are recorded, and the same on the same server that are not. */
export async function createCost(folder: string): Promise<readonly string[]> {
  const load = join(folder, "load");
  execFileSync("go", ["build", "-o", load, ...sources], { stdio: "inherit" });
  const all: Results[] = [];
  const lines: string[] = [];
  for (let run = 0; run < runs; run++) {
    const results = await oneRun(join(folder, `create-${run}`), load);
    all.push(results);
    lines.push(describe(`create, run ${run + 1}`, [results], "create"));
  }
  return [...lines, describe("create, all", all, "create"), describe("delete, all", all, "delete")];
}

async function oneRun(directory: string, load: string): Promise<Results> {
  const credentials = makeCredentials(join(directory, "pki"));
  mkdirSync(directory, { recursive: true });
  const env = { ...process.env, NODE_OPTIONS: `--import=${toggle}` };
  const options = { directory, credentials, cpus: "0", moreFlags: ["--journey"], env };
  const server = await ours("journeys").start(options);
  try {
    const where = `${new URL(server.url).host}=${server.pids.join("+")}`;
    const stdout = execFileSync("taskset", [
      ...["-c", "1", load, "-apart", `-targets=on=${where},off=${where}`],
      ...[`-cert=${credentials.admin.cert}`, `-key=${credentials.admin.key}`],
      ...[`-count=${pods}`, "-only=create", `-slices=${slices}`, `-rest=${restMs}ms`],
    ]);
    return JSON.parse(stdout.toString()) as Results;
  } finally {
    await server.stop();
  }
}

/** The middle of the differences of neighbouring slices, and how far it may be off (standard error). */
function describe(name: string, results: readonly Results[], operation: "create" | "delete") {
  const of = (kind: Kind, value: keyof Measured) =>
    results.flatMap((one) => one[kind][operation][value]);
  const micros = compare(of("on", "sliceMicros"), of("off", "sliceMicros"));
  const rates = compare(of("on", "sliceRates"), of("off", "sliceRates"));
  const without = median(of("off", "sliceMicros")).toFixed(0);
  return `${name}: ${without} µs of processor time, with journeys ${micros} more; requests per second ${rates} more`;
}

function compare(on: readonly number[], off: readonly number[]): string {
  const more = on.map((value, index) => (value / (off[index] ?? 1) - 1) * 100);
  const middle = median(more);
  // 1.4826 × the median deviation is the standard deviation of a normal distribution, which single peaks don't change.
  const deviation = 1.4826 * median(more.map((value) => Math.abs(value - middle)));
  const error = (1.2533 * deviation) / Math.sqrt(more.length);
  return `${middle.toFixed(1)} ± ${error.toFixed(1)} %`;
}
