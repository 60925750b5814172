import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { admissionPlugins } from "#/apiserver/admission/index.ts";
import { makeCredentials, ours, type RunningContender } from "./contender.ts";

/**
 * `node bench/apiserver/gates.ts`: the cost of authorization, admission and fairness. Two of our servers: one with the
 * gates of a real cluster (Node and RBAC, the default admission plugins and NodeRestriction, priority and fairness), one
 * with AlwaysAllow and nothing else; the same client creates pods on both in turn. See apiserver.ts for the processors.
 */
const { values: flags } = parseArgs({
  options: {
    count: { type: "string", default: "3000" },
    directory: { type: "string", default: "." },
    "server-cpus": { type: "string", default: "0" },
    "client-cpus": { type: "string", default: "1" },
  },
});

const noGates = [
  "--authorization-mode=AlwaysAllow",
  `--disable-admission-plugins=${admissionPlugins.map(({ name }) => name).join(",")}`,
  "--enable-priority-and-fairness=false",
];

interface Variant {
  readonly name: string;
  readonly gateFlags?: readonly string[];
}

/** The full server, and the one that it is compared with. */
const variants: readonly [Variant, Variant] = [
  { name: "all gates" },
  { name: "no gates", gateFlags: noGates },
];

using stack = new DisposableStack();
const directory = mkdtempSync(join(resolve(flags.directory), ".bench-gates-"));
stack.defer(() => rmSync(directory, { recursive: true }));
const credentials = makeCredentials(join(directory, "pki"));
const load = join(directory, "load");
const sources = ["load.go", "objects.go"].map((name) => join(import.meta.dirname, name));
execFileSync("go", ["build", "-o", load, ...sources], { stdio: "inherit" });

const servers: RunningContender[] = [];
try {
  for (const [index, { name, ...variant }] of variants.entries()) {
    const own = join(directory, `run-${index}`);
    mkdirSync(own);
    const options = { directory: own, credentials, cpus: flags["server-cpus"] };
    servers.push(await ours(name).start({ ...options, ...variant }));
    process.stdout.write(`${name}: ${servers.at(-1)?.residentMiB().toFixed(0)} MiB when ready\n`);
  }
  report(createPods());
} finally {
  for (const server of servers) await server.stop();
}

type Results = Record<string, { create?: { perSecond: number; cpuMicros: number } }>;

function createPods(): Results {
  const targets = servers.map(
    ({ name, url, pids }) => `${name}=${new URL(url).host}=${pids.join("+")}`,
  );
  const stdout = execFileSync("taskset", [
    ...["-c", flags["client-cpus"], load, `-targets=${targets.join(",")}`],
    ...[`-cert=${credentials.admin.cert}`, `-key=${credentials.admin.key}`],
    ...[`-count=${flags.count}`, "-only=create", "-slices=10"],
  ]);
  return JSON.parse(stdout.toString()) as Results;
}

function report(results: Results): void {
  for (const [name, { create }] of Object.entries(results)) {
    const rate = `${create?.perSecond.toFixed(0)} creates per second`;
    process.stdout.write(`${name.padEnd(10)} ${rate}, ${create?.cpuMicros.toFixed(0)} µs each\n`);
  }
  const [full, plain] = variants.map(({ name }) => results[name]?.create);
  const cost = (1 - (full?.perSecond ?? 0) / (plain?.perSecond ?? 1)) * 100;
  const work = ((full?.cpuMicros ?? 0) / (plain?.cpuMicros ?? 1) - 1) * 100;
  process.stdout.write(
    `${variants[0].name} cost ${cost.toFixed(1)} % of the throughput, and ${work.toFixed(1)} % more processor time\n`,
  );
}
