/** Numbers of processors in the kernel's notation: `0-2,5`. */
export function parseCpuSet(text: string): Set<number> {
  const cpus = new Set<number>();
  for (const part of text.trim().split(",")) {
    const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(part) ?? [];
    if (first === undefined) {
      if (part === "") continue;
      throw new Error(`"${text}" is no set of CPUs`);
    }
    for (let cpu = Number(first); cpu <= Number(last); cpu++) cpus.add(cpu);
  }
  return cpus;
}

/** The shortest notation of a set. */
export function formatCpuSet(cpus: Iterable<number>): string {
  const sorted = [...cpus].sort((a, b) => a - b);
  const ranges: [number, number][] = [];
  for (const cpu of sorted) {
    const range = ranges.at(-1);
    if (range?.[1] === cpu - 1) range[1] = cpu;
    else ranges.push([cpu, cpu]);
  }
  return ranges
    .map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`))
    .join(",");
}
