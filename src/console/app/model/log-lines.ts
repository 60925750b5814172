/** A line of a log, or an event between lines. */
export interface LogLine {
  readonly ms: number;
  readonly text: string;
  /** The container, or the reason of an event. */
  readonly source: string;
  readonly kind: "log" | "event" | "warning";
}

const stamped = /^(\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)) ?(.*)$/s;

/** A line as the API sends it with timestamps. */
export function parseLogLine(line: string, source: string): LogLine {
  const [, stamp, text = line] = stamped.exec(line) ?? [];
  return { ms: stamp === undefined ? 0 : Date.parse(stamp), text, source, kind: "log" };
}

/** Lines and events by time; what has the same time stays in order. */
export function mergeByTime(lines: readonly LogLine[], events: readonly LogLine[]): LogLine[] {
  if (events.length === 0) return [...lines];
  const merged: LogLine[] = [];
  const waiting = [...events].sort((a, b) => a.ms - b.ms);
  for (const line of lines) {
    while (waiting[0] !== undefined && waiting[0].ms < line.ms)
      merged.push(waiting.shift() as LogLine);
    merged.push(line);
  }
  return merged.concat(waiting);
}
