import { readdirSync, readFileSync } from "node:fs";

/** The resource usage of a program of a cluster. */
export interface ProcessUse {
  readonly name: string;
  readonly residentMiB: number;
  /** Resident memory; pages that several processes share count in parts. */
  readonly proportionalMiB: number;
  readonly corePercent: number;
}

interface KnownProcess {
  readonly name: string;
  readonly pid: string;
  readonly processorSeconds: number;
}

/** The programs of a cluster, with their CPU time so far. */
export function processesOf(folder: string): KnownProcess[] {
  return readdirSync(`${folder}/run`)
    .filter((file) => file.endsWith(".pid"))
    .map((file) => {
      const [pid = ""] = readFileSync(`${folder}/run/${file}`, "utf8").trim().split(" ");
      return { name: file.slice(0, -".pid".length), pid, processorSeconds: processorSeconds(pid) };
    });
}

/** The memory of each program, and its share of a core since. */
export function useOf(before: readonly KnownProcess[], seconds: number): ProcessUse[] {
  return before.map(({ name, pid, processorSeconds: earlier }) => {
    const memory = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
    const mebibytes = (field: string): number =>
      Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(memory)?.[1]) / 1024;
    return {
      name,
      residentMiB: mebibytes("Rss"),
      proportionalMiB: mebibytes("Pss"),
      corePercent: ((processorSeconds(pid) - earlier) / seconds) * 100,
    };
  });
}

function processorSeconds(pid: string): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
