/** Upstream: pkg/kubelet/cm/cpumanager/state/state_checkpoint.go, pkg/kubelet/cm/cpumanager/policy_static.go. */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { goQuote } from "#/std/go/go-quote.ts";
import { formatCpuSet, parseCpuSet } from "./cpu-set.ts";
import type { CpuPlace } from "./cpu-topology.ts";

/** The state file, in upstream's second form, which needs no checksum. */
interface State {
  readonly policyName: string;
  readonly defaultCpuSet: string;
  readonly entries?: Entries;
  readonly checksum: number;
}

/** Processors by pod UID and container. */
type Entries = Readonly<Record<string, Readonly<Record<string, string>>>>;
type Assignments = ReadonlyMap<string, Map<string, ReadonlySet<number>>>;

interface Machine {
  readonly topology: readonly CpuPlace[];
  readonly reserved: ReadonlySet<number>;
}

const policyName = "static";

/** The stored assignments; none if there is no file. Throws if the file is damaged or doesn't fit the machine. */
export function loadCpuState(path: string, machine: Machine): Assignments {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return new Map();
    throw error;
  }
  let parsed: { readonly shared: ReadonlySet<number>; readonly assigned: Assignments };
  try {
    parsed = parseState(text);
  } catch (error) {
    const { message } = error as Error;
    throw new Error(
      `could not restore state from checkpoint: ${message}, please drain this node and delete the CPU manager checkpoint file ${goQuote(path)} before restarting Kubelet`,
      { cause: error },
    );
  }
  validate(parsed, machine);
  return parsed.assigned;
}

/** Writes the file, whole or not at all. */
export function saveCpuState(path: string, defaultCpuSet: string, entries: Entries): void {
  const state: State = { policyName, defaultCpuSet, entries, checksum: 0 };
  writeFileSync(`${path}.new`, JSON.stringify(state), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

function parseState(text: string) {
  const state = JSON.parse(text) as Partial<State> | null;
  if (typeof state?.policyName !== "string" || typeof state.defaultCpuSet !== "string") {
    throw new Error("checkpoint is corrupted");
  }
  if (state.policyName !== policyName) {
    throw new Error(
      `configured policy "${policyName}" differs from state checkpoint policy ${goQuote(state.policyName)}`,
    );
  }
  const assigned = new Map<string, Map<string, ReadonlySet<number>>>();
  for (const [uid, containers] of Object.entries(state.entries ?? {})) {
    const sets = Object.entries(containers).map(
      ([name, cpus]) => [name, parseCpuSet(cpus)] as const,
    );
    assigned.set(uid, new Map(sets));
  }
  return { shared: parseCpuSet(state.defaultCpuSet), assigned };
}

/** Throws if a processor is missing, unknown, or both shared and exclusive: the configuration or machine has changed. */
function validate(
  { shared, assigned }: { shared: ReadonlySet<number>; assigned: Assignments },
  { topology, reserved }: Machine,
): void {
  const format = (cpus: Iterable<number>): string => goQuote(formatCpuSet(cpus));
  if (shared.size === 0) {
    if (assigned.size > 0) throw new Error("default cpuset cannot be empty");
    return;
  }
  if ([...reserved].some((cpu) => !shared.has(cpu))) {
    throw new Error(
      `not all reserved cpus: ${format(reserved)} are present in defaultCpuSet: ${format(shared)}`,
    );
  }
  const known = new Set(shared);
  for (const [pod, containers] of assigned) {
    for (const [container, cpus] of containers) {
      if ([...cpus].some((cpu) => shared.has(cpu))) {
        throw new Error(
          `pod: ${pod}, container: ${container} cpuset: ${format(cpus)} overlaps with default cpuset ${format(shared)}`,
        );
      }
      for (const cpu of cpus) known.add(cpu);
    }
  }
  const all = new Set(topology.map(({ cpu }) => cpu));
  if (known.size !== all.size || [...known].some((cpu) => !all.has(cpu))) {
    throw new Error(
      `current set of available CPUs ${format(all)} doesn't match with CPUs in state ${format(known)}`,
    );
  }
}
