import { entryTime, type LogLine, logLineReader } from "./log-entry.ts";

interface LastLinesOptions {
  readonly program: string;
  readonly nowMs: number;
  /** Oldest time of entries (ms). */
  readonly sinceMs: number;
  /** Limit of lines; -1 for all. */
  readonly tail: number;
  /** Creates a filter for the lines of a log, called for each in order. */
  readonly filter?: () => (line: string) => boolean;
}

const everyLine = () => () => true;

/** The last lines of a log in their order. It is read from its end, entry by entry, until there are enough. */
export async function lastLines(
  backward: AsyncIterable<string>,
  { program, nowMs, sinceMs, tail, filter = everyLine }: LastLinesOptions,
): Promise<LogLine[]> {
  const entries: LogLine[][] = [];
  let found = 0;
  let entry: string[] = [];
  const take = (): void => {
    const read = logLineReader(program, nowMs);
    const isShown = filter();
    const shown = entry
      .reverse()
      .map(read)
      .filter(({ line }) => isShown(line));
    entries.push(shown);
    found += shown.length;
    entry = [];
  };
  const isEnough = (): boolean => tail >= 0 && found >= tail;
  if (isEnough()) return [];
  for await (const line of backward) {
    const timeMs = entryTime(line, nowMs);
    if (timeMs !== undefined && timeMs < sinceMs) return entries.reverse().flat();
    entry.push(line);
    if (timeMs === undefined) continue;
    take();
    if (isEnough()) break;
  }
  // Lines before the first entry have no time: they count as the oldest.
  if (sinceMs === 0) take();
  const all = entries.reverse().flat();
  return tail < 0 ? all : all.slice(Math.max(0, all.length - tail));
}
