import { readdirSync, readFileSync } from "node:fs";
import { parseCpuSet } from "./cpu-set.ts";

/** Location of a processor: threads of one core share its number. */
export interface CpuPlace {
  readonly cpu: number;
  readonly socket: number;
  readonly core: number;
}

/** The processors that are online. */
export function readCpuTopology(root = "/sys/devices/system/cpu"): CpuPlace[] {
  const read = (path: string) => readFileSync(`${root}/${path}`, "utf8").trim();
  const online = parseCpuSet(read("online"));
  return readdirSync(root)
    .flatMap((name) => /^cpu(\d+)$/.exec(name)?.[1] ?? [])
    .map(Number)
    .filter((cpu) => online.has(cpu))
    .sort((a, b) => a - b)
    .map((cpu) => ({
      cpu,
      socket: Number(read(`cpu${cpu}/topology/physical_package_id`)),
      core: Number(read(`cpu${cpu}/topology/core_id`)),
    }));
}

/**
 * The given number of free processors: whole sockets first, then whole cores, then single threads, where
 * possible on sockets and cores that are in use already. Undefined if there aren't enough.
 *
 * Upstream: pkg/kubelet/cm/cpumanager/cpu_assignment.go.
 */
export function takeCpus(
  topology: readonly CpuPlace[],
  free: ReadonlySet<number>,
  count: number,
): number[] | undefined {
  if (free.size < count) return undefined;
  const taken = new Set<number>();
  const coreOf = ({ socket, core }: CpuPlace) => `${socket}/${core}`;
  for (const groupOf of [({ socket }: CpuPlace) => `${socket}`, coreOf]) {
    for (const group of Map.groupBy(topology, groupOf).values()) {
      const whole = group.every(({ cpu }) => free.has(cpu) && !taken.has(cpu));
      if (whole && group.length <= count - taken.size) for (const { cpu } of group) taken.add(cpu);
    }
  }
  const left = topology.filter(({ cpu }) => free.has(cpu) && !taken.has(cpu));
  const freeIn = (key: (place: CpuPlace) => string, place: CpuPlace) =>
    left.filter((one) => key(one) === key(place)).length;
  const fullestFirst = left.toSorted(
    (a, b) =>
      freeIn(({ socket }) => `${socket}`, a) - freeIn(({ socket }) => `${socket}`, b) ||
      freeIn(coreOf, a) - freeIn(coreOf, b) ||
      a.cpu - b.cpu,
  );
  for (const { cpu } of fullestFirst.slice(0, count - taken.size)) taken.add(cpu);
  return [...taken].sort((a, b) => a - b);
}
