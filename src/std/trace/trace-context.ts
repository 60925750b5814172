/** The identity of a span, as passed between services. See https://www.w3.org/TR/trace-context/. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  readonly sampled: boolean;
}

const sampledFlag = 1;

/** Parses a `traceparent` header; undefined if it is missing or invalid. */
export function parseTraceParent(header: string | undefined): TraceContext | undefined {
  const match = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(
    header?.trim() ?? "",
  );
  const [, version = "ff", traceId = "", spanId = "", flags = "", more] = match ?? [];
  const isKnown = version !== "ff" && (version !== "00" || more === undefined);
  if (!match || !isKnown || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & sampledFlag) !== 0 };
}

/** The `traceparent` header of requests within a span. */
export function formatTraceParent({ traceId, spanId, sampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`;
}
