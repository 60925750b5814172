import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { buffer } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { systemClock } from "#/std/time/clock.ts";
import type { Check } from "./check.ts";
import { allChecks, arm64Checks, machineChecks } from "./checks/index.ts";
import { ensureCluster, hasClient, k8ts } from "./cluster.ts";
import { Machine } from "./machine.ts";
import { mergeRecorded, type Recorded, type Result, renderResults } from "./results.ts";
import { strippedTree } from "./stripped-tree.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const recordedFile = fileURLToPath(new URL("recorded/results.json", import.meta.url));
const documentFile = fileURLToPath(new URL("../../docs/machines.md", import.meta.url));

const arm64Kit = fileURLToPath(new URL("arm64", import.meta.url));

const usage = `usage: K8TS_MACHINES=FOLDER node test/machines/run.ts [flags]
  --suite=RELEASE   Debian release of the machines (bookworm)
  --machines=a,b    their names; the second one only joins (a,b)
  --check=TEXT      only checks whose name contains it; may be repeated
  --record          put each result into docs/machines.md
  --keep            leave the machines running
  --arm64           the checks of arm64, emulated: needs no kit
  --list            print the checks
  --render          write docs/machines.md from what is recorded
`;

/** Runs checks on virtual machines and prints a line for each. */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      suite: { type: "string", default: "bookworm" },
      machines: { type: "string", default: "a,b" },
      check: { type: "string", multiple: true, default: [] },
      record: { type: "boolean", default: false },
      keep: { type: "boolean", default: false },
      arm64: { type: "boolean", default: false },
      list: { type: "boolean", default: false },
      render: { type: "boolean", default: false },
    },
  });
  const wanted = values.check;
  const checks = (values.arm64 ? arm64Checks : machineChecks).filter(
    ({ name }) => wanted.length === 0 || wanted.some((text) => name.includes(text)),
  );
  if (values.list) for (const { name } of checks) print(name);
  if (values.render) record({ machines: [], results: [] });
  if (values.list || values.render) return 0;
  const kit = values.arm64 ? arm64Kit : process.env["K8TS_MACHINES"];
  if (!kit || checks.length === 0) {
    process.stderr.write(usage);
    return 2;
  }
  const [first = "", second = ""] = values.machines.split(",");
  const machine = new Machine(kit, first, values.suite);
  const other = new Machine(kit, second, values.suite);
  const results = await runChecks(checks, machine, other, values.record);
  if (!values.keep) await purgeAll(checks, machine, other);
  return results.every(({ passed }) => passed) ? 0 : 1;
}

function record(next: Recorded): void {
  const old: Recorded = JSON.parse(readFileSync(recordedFile, "utf8"));
  const merged = mergeRecorded(old, next);
  writeFileSync(recordedFile, `${JSON.stringify(merged, undefined, 2)}\n`);
  const order = allChecks.map(({ name }) => name);
  const document = readFileSync(documentFile, "utf8");
  writeFileSync(documentFile, renderResults(document, merged, order));
}

async function runChecks(
  checks: readonly Check[],
  machine: Machine,
  other: Machine,
  isRecorded: boolean,
): Promise<readonly Result[]> {
  await prepare(machine);
  if (checks.some(({ machines }) => machines === 2)) await prepare(other);
  const [label = "", ...facts] = (await machine.run(factsCommand)).trim().split("\n");
  const results: Result[] = [];
  let hasCluster: boolean | undefined;
  for (const check of checks) {
    const result = await runCheck(check, { machine, other, label, hasCluster });
    results.push(result);
    if (isRecorded) record({ machines: [{ machine: label, facts: facts.join(", ") }], results });
    hasCluster = result.passed ? check.needs === undefined : undefined;
  }
  return results;
}

/** Prints the machine's name in the table, then its facts, a line each. */
const factsCommand = `
  . /etc/os-release
  case $(uname -m) in
    aarch64) echo arm64 ;;
    *) echo "Debian $VERSION_ID${process.env["KIND"] === "qemu" ? " (emulated)" : ""}" ;;
  esac
  echo "Debian $(cat /etc/debian_version)"
  [ $(uname -m) = x86_64 ] || { echo "root file system under qemu-user"; exit; }
  echo "Linux $(uname -r)"
  systemctl --version | sed -n '1s/ (.*//p'
  containerd --version | cut -d' ' -f1,3 | sed 's,.*/,,'
  runc --version | sed -n '1s/ version//p'`;

interface Surroundings {
  readonly machine: Machine;
  readonly other: Machine;
  readonly label: string;
  /** undefined: the last check failed, the state is unknown. */
  readonly hasCluster: boolean | undefined;
}

async function runCheck(
  check: Check,
  { machine, other, label, hasCluster }: Surroundings,
): Promise<Result> {
  const began = systemClock.monotonicMs();
  const seconds = (): number => Math.round((systemClock.monotonicMs() - began) / 100) / 10;
  try {
    if (check.needs === "nothing" && hasCluster !== false)
      await machine.run(`${k8ts} down --purge`);
    if (check.needs === undefined && (hasCluster !== true || !(await hasClient(machine)))) {
      await ensureCluster(machine);
    }
    const note = await check.run(machine, other);
    print(`${label}  ok    ${check.name}  ${seconds()} s${note ? `  (${note})` : ""}`);
    const result = { machine: label, check: check.name, passed: true, seconds: seconds() };
    return note ? { ...result, note } : result;
  } catch (error) {
    print(`${label}  FAIL  ${check.name}  ${seconds()} s`);
    print((error instanceof Error ? error.message : String(error)).replaceAll(/^/gm, "    "));
    return { machine: label, check: check.name, passed: false, seconds: seconds() };
  }
}

/** Starts a machine unless it runs, and copies this tree into it, without its packages: the image has them. */
async function prepare(machine: Machine): Promise<void> {
  if ((await machine.try("true")).code !== 0) await machine.start();
  // The running programs are those of another tree.
  await machine.try(`[ ! -e /var/lib/k8ts ] || ${k8ts} down`);
  using tree = machine.kit === arm64Kit ? strippedTree(root) : undefined;
  const tar = spawn("tar", ["cf", "-", "--exclude=./node_modules", "--exclude=./.git", "."], {
    cwd: tree?.path ?? root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  await machine.run(
    "cd /opt/k8ts && find . -mindepth 1 -maxdepth 1 ! -name node_modules -exec rm -rf {} + && tar xof - && touch node_modules/.k8ts-installed",
    { input: await buffer(tar.stdout) },
  );
}

async function purgeAll(checks: readonly Check[], machine: Machine, other: Machine): Promise<void> {
  await machine.purge();
  if (checks.some(({ machines }) => machines === 2)) await other.purge();
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

process.exitCode = await main();
