/** A part of a process' memory. */
export interface Region {
  readonly start: bigint;
  /** Bytes. */
  readonly size: bigint;
}

/** A line of each region: its size that is no longer as in the file. */
const changed = "\nAnonymous:";

/**
 * The regions of a process that are parts of a file and nothing else: read-only, and without a page that was written, as by
 * the linker at the start. `smaps` is the text of /proc/PID/smaps.
 */
export function unchangedRegions(smaps: string, file: string): Region[] {
  const regions = new RegExp(
    `^([0-9a-f]+)-([0-9a-f]+) r-[-x]p \\S+ \\S+ \\d+ +${RegExp.escape(file)}$`,
    "gm",
  );
  return [...smaps.matchAll(regions)].flatMap(({ index, 1: from, 2: to }) => {
    const start = BigInt(`0x${from}`);
    const position = smaps.indexOf(changed, index) + changed.length;
    const isAsInFile = /^ +0 kB\n/.test(smaps.slice(position, position + 40));
    return isAsInFile ? [{ start, size: BigInt(`0x${to}`) - start }] : [];
  });
}
