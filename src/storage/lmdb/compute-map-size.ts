const GiB = 2 ** 30;

/** Limit of the file's size (bytes), as address space is reserved for it. Costs nothing until it is used. */
const maxBytes = 256 * GiB;

/** The rest is for the heap, and for a second mapping of the file. */
const share = 1 / 4;

/**
 * From the limit of the process (`ulimit -v`), and from the kernel's address space: the stack is at
 * its end. Some kernels for arm64 have 512 GiB.
 */
export function computeMapSize(limits: string, maps: string): number {
  const [, limit] = /^Max address space +(\d+)/m.exec(limits) ?? [];
  const [, stackEnd] = /^[0-9a-f]+-([0-9a-f]+) .*\[stack\]$/m.exec(maps) ?? [];
  const spaces = [
    limit === undefined ? Number.POSITIVE_INFINITY : Number(limit),
    stackEnd === undefined ? Number.POSITIVE_INFINITY : Number.parseInt(stackEnd, 16),
  ];
  const bytes = Math.min(maxBytes, share * Math.min(...spaces));
  return bytes < GiB ? bytes - (bytes % 2 ** 20) : bytes - (bytes % GiB);
}
