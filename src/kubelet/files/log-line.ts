/** Upstream: k8s.io/cri-client/pkg/logs/logs.go. */

/** A line of a container's log, or a part of one. */
export interface LogLine {
  /** As the runtime wrote it: RFC 3339 with nanoseconds. */
  readonly time: string;
  readonly stream: "stdout" | "stderr";
  /** With its line end, unless it is a part that another follows. */
  readonly content: Buffer;
  readonly partial: boolean;
}

const blank = 0x20;
const brace = 0x7b;

/** Reads a line of a log with its line end, in CRI's format or in Docker's; undefined if it is in neither. */
export function parseLogLine(line: Buffer): LogLine | undefined {
  return line[0] === brace ? parseDockerLine(line) : parseCriLine(line);
}

/** Docker's json-file: one object for each line or part of a line. */
function parseDockerLine(line: Buffer): LogLine | undefined {
  try {
    const { log, stream, time } = JSON.parse(line.toString()) as Record<string, unknown>;
    if (typeof log !== "string" || typeof time !== "string") return undefined;
    if (stream !== "stdout" && stream !== "stderr") return undefined;
    return { time, stream, content: Buffer.from(log), partial: !log.endsWith("\n") };
  } catch {
    return undefined;
  }
}

function parseCriLine(line: Buffer): LogLine | undefined {
  const first = line.indexOf(blank);
  const second = line.indexOf(blank, first + 1);
  const third = line.indexOf(blank, second + 1);
  if (first < 0 || second < 0 || third < 0) return undefined;
  const time = line.toString("latin1", 0, first);
  const stream = line.toString("latin1", first + 1, second);
  const tags = line.toString("latin1", second + 1, third).split(":");
  if ((stream !== "stdout" && stream !== "stderr") || !/^\d{4}-\d\d-\d\dT/.test(time))
    return undefined;
  const partial = tags[0] === "P";
  const end = partial && line.at(-1) === 0x0a ? line.length - 1 : line.length;
  return { time, stream, content: line.subarray(third + 1, end), partial };
}
