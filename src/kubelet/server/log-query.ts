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

/** Reads the options; throws an Error whose message is the body of a 4xx. */
export function parseLogQuery(query: URLSearchParams, nowMs: number): LogQuery {
  const flag = (name: string) => ["true", "1", "t", "True", "TRUE"].includes(query.get(name) ?? "");
  const count = (name: string) => {
    const text = query.get(name);
    if (text === null || text === "") return undefined;
    if (!/^-?\d+$/.test(text)) throw new Error('{"message": "Unable to decode query."}');
    const value = Number(text);
    if (value < 0) throw new Error('{"message": "Invalid request."}');
    return value;
  };
  const tail = query.get("tail");
  if (tail !== null && tail !== "" && tail !== "all") query.set("tailLines", tail);
  const sinceSeconds = count("sinceSeconds");
  const sinceTime = query.get("sinceTime");
  const stream = query.get("stream") ?? "All";
  const streams = { Stdout: ["stdout"], Stderr: ["stderr"], All: ["stdout", "stderr"] } as const;
  const selected = streams[stream as keyof typeof streams];
  if (selected === undefined) throw new Error(`invalid stream type "${stream}"`);
  return {
    follow: flag("follow"),
    previous: flag("previous"),
    timestamps: flag("timestamps"),
    sinceMs:
      sinceSeconds !== undefined
        ? nowMs - sinceSeconds * 1000
        : sinceTime
          ? Date.parse(sinceTime)
          : 0,
    tailLines: count("tailLines"),
    limitBytes: count("limitBytes") ?? Number.POSITIVE_INFINITY,
    streams: new Set(selected),
  };
}
