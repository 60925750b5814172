/** A line of a program's log, with the time and component of its entry. */
export interface LogLine {
  readonly line: string;
  /** Time of the entry (ms); that of the line before if the line has no time. */
  readonly timeMs: number;
  /** The component that wrote it, or the program if the entry names none. */
  readonly source: string;
}

/** Parses the lines of a program's log in order: lines after the first of an entry belong to it. */
export function logLineReader(program: string, nowMs: number): (line: string) => LogLine {
  let [timeMs, source] = [0, program];
  return (line) => {
    const found = entryTime(line, nowMs);
    if (found !== undefined) {
      timeMs = found;
      source = componentOf(line) ?? program;
    }
    return { line, timeMs, source };
  };
}

const klog = /^[IWEF](\d\d)(\d\d) (\d\d):(\d\d):(\d\d)\.(\d{3})/;
const json = /^\{"ts":([0-9.]+),/;
/** containerd's format. */
const logfmt = /^time="([^"]+)" level=/;
const dayMs = 24 * 60 * 60 * 1000;

/** Time of an entry; undefined for a line that begins none. */
export function entryTime(line: string, nowMs: number): number | undefined {
  const ts = json.exec(line)?.[1];
  if (ts !== undefined) return Number(ts);
  const iso = logfmt.exec(line)?.[1];
  if (iso !== undefined) return Date.parse(iso);
  const parts = klog.exec(line)?.slice(1).map(Number);
  if (!parts) return undefined;
  const [month = 1, day = 1, hour = 0, minute = 0, second = 0, ms = 0] = parts;
  const inYear = (year: number): number =>
    new Date(year, month - 1, day, hour, minute, second, ms).getTime();
  // The year is not written: an entry is never in the future.
  const thisYear = new Date(nowMs).getFullYear();
  const time = inYear(thisYear);
  return time > nowMs + dayMs ? inYear(thisYear - 1) : time;
}

const componentOf = (line: string): string | undefined =>
  /^\{"ts":[0-9.]+,"component":"([^"]+)"/.exec(line)?.[1] ??
  /^[^\]]+\] "(?:[^"\\]|\\.)*" component="([^"]+)"/.exec(line)?.[1];

interface MergeOptions {
  /** Oldest time of entries (ms). */
  readonly sinceMs: number;
  /** Limit of lines from the end; -1 for all. */
  readonly tail: number;
}

/** The lines of several logs by time; those of one log keep their order. */
export function mergeLogs(
  logs: readonly (readonly LogLine[])[],
  { sinceMs, tail }: MergeOptions,
): LogLine[] {
  const all = logs
    .flat()
    .filter(({ timeMs }) => timeMs >= sinceMs)
    .sort((a, b) => a.timeMs - b.timeMs);
  return tail < 0 ? all : all.slice(Math.max(0, all.length - tail));
}
