import { table } from "#/std/base/table.ts";
import { HttpProblem } from "./reply.ts";

/** Options of a request for logs. */
interface LogQuery {
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly sinceMs: number;
  readonly tailLines: number | undefined;
  readonly limitBytes: number;
  readonly streams: ReadonlySet<"stdout" | "stderr">;
}

const undecodable = () => new HttpProblem(400, '{"message": "Unable to decode query."}');
const invalid = () => new HttpProblem(422, '{"message": "Invalid request."}');

/** Reads the options; throws an HttpProblem. */
export function parseLogQuery(query: URLSearchParams, nowMs: number): LogQuery {
  // An option without a value is set, as upstream reads it.
  const flag = (name: string) => !/^(?:false|0)$/i.test(query.get(name) ?? "false");
  const count = (name: string, least: number) => {
    const text = query.get(name);
    if (text === null || text === "") return undefined;
    if (!/^-?\d+$/.test(text) || !isInt64(BigInt(text))) throw undecodable();
    if (Number(text) < least) throw invalid();
    return Number(text);
  };
  const tail = query.get("tail");
  if (tail !== null && tail !== "" && tail !== "all") query.set("tailLines", tail);
  const sinceSeconds = count("sinceSeconds", 1);
  const sinceTime = timeOf(query.get("sinceTime"));
  if (sinceSeconds !== undefined && sinceTime !== undefined) throw invalid();
  const stream = query.get("stream") ?? "All";
  const selected = streams[stream];
  if (selected === undefined) throw invalid();
  const tailLines = count("tailLines", 0);
  if (tailLines !== undefined && stream !== "All") throw invalid();
  return {
    follow: flag("follow"),
    previous: flag("previous"),
    timestamps: flag("timestamps"),
    sinceMs: sinceSeconds === undefined ? (sinceTime ?? 0) : nowMs - sinceSeconds * 1000,
    tailLines,
    limitBytes: count("limitBytes", 1) ?? Number.POSITIVE_INFINITY,
    streams: new Set(selected),
  };
}

const streams = table<readonly ("stdout" | "stderr")[]>({
  Stdout: ["stdout"],
  Stderr: ["stderr"],
  All: ["stdout", "stderr"],
});

const minInt64 = -(2n ** 63n);

const isInt64 = (value: bigint): boolean => value >= minInt64 && value < -minInt64;

/** RFC 3339, as upstream reads times. */
const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

function timeOf(text: string | null): number | undefined {
  if (text === null || text === "") return undefined;
  const time = timePattern.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw undecodable();
  return time;
}
