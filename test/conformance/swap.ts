import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

/**
 * `node test/conformance/swap.ts COMPONENT`: starts the reference cluster with this one component replaced by ours, runs
 * the conformance tests of its SIGs (or those of --focus), prints how many passed and which failed, and takes the cluster
 * down again. Exits with 1 if any test failed. Needs root and the conformance kit; only one cluster runs at a time.
 */
interface Component {
  /** The reference cluster's name of the command to start instead. */
  readonly variable: string;
  /** Names of the tests that cover it. */
  readonly focus: string;
}

const conformance = (sigs: string): string => `\\[(${sigs})\\].*\\[Conformance\\]`;

const components: Readonly<Record<string, Component>> = {
  "kube-apiserver": {
    variable: "KREF_KUBE_APISERVER",
    focus: conformance("sig-api-machinery|sig-auth"),
  },
  "kube-controller-manager": {
    variable: "KREF_KUBE_CONTROLLER_MANAGER",
    focus: conformance("sig-apps"),
  },
  "kube-scheduler": { variable: "KREF_KUBE_SCHEDULER", focus: conformance("sig-scheduling") },
  kubelet: { variable: "KREF_KUBELET", focus: conformance("sig-node") },
  "kube-proxy": { variable: "KREF_KUBE_PROXY", focus: conformance("sig-network") },
};

const root = join(import.meta.dirname, "../..");
const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** The folder that holds reference-cluster and conformance. */
    kit: { type: "string", default: join(root, "../shared") },
    focus: { type: "string", default: "" },
    procs: { type: "string", default: "4" },
    out: { type: "string", default: join(tmpdir(), "swap-results") },
    /** Locked while the cluster runs. */
    lock: { type: "string", default: join(tmpdir(), "kref.lock") },
    locked: { type: "boolean", default: false },
  },
});

process.exitCode = flags.locked ? swap() : withLock();

/** Runs this program again, holding the lock; the cluster's processes don't inherit it. */
function withLock(): number {
  const args = [...process.execArgv, import.meta.filename, ...process.argv.slice(2), "--locked"];
  return run("flock", ["--close", flags.lock, process.execPath, ...args]);
}

function swap(): number {
  const [name = ""] = positionals;
  const component = components[name];
  if (component === undefined) {
    process.stderr.write(`usage: swap.ts ${Object.keys(components).join("|")}\n`);
    return 2;
  }
  const cluster = join(flags.kit, "reference-cluster");
  const command = `${process.execPath} --disable-warning=ExperimentalWarning ${join(root, "bin", `${name}.ts`)}`;
  try {
    const started = run(join(cluster, "up"), [], { [component.variable]: command });
    if (started !== 0) return started;
    return runTests(component);
  } finally {
    run(join(cluster, "down"), ["--wipe"]);
  }
}

function runTests({ focus }: Component): number {
  const out = join(flags.out, positionals[0] ?? "");
  const state = process.env["KREF_STATE"] ?? "/var/lib/kref";
  run(join(flags.kit, "conformance/run"), [
    ...["--kubeconfig", join(state, "admin.kubeconfig")],
    ...["--focus", flags.focus || focus, "--procs", flags.procs, "--out", out],
  ]);
  return report(join(out, "results.json"));
}

/** Prints passed and failed tests; 1 if any failed or none ran. */
function report(file: string): number {
  const tests = JSON.parse(readFileSync(file, "utf8")) as readonly {
    readonly name: string;
    readonly status: string;
  }[];
  const passed = tests.filter(({ status }) => status === "passed");
  const failed = tests.filter(({ status }) => status !== "passed" && status !== "skipped");
  for (const test of failed) process.stdout.write(`failed: ${test.name}\n`);
  process.stdout.write(`${passed.length} passed, ${failed.length} failed\n`);
  return passed.length > 0 && failed.length === 0 ? 0 : 1;
}

function run(program: string, args: readonly string[], env: Record<string, string> = {}): number {
  const options = { stdio: "inherit", env: { ...process.env, ...env } } as const;
  return spawnSync(program, args, options).status ?? 1;
}
