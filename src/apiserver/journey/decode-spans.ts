/** Upstream: opentelemetry-proto (collector/trace/v1), its protobuf and its JSON form. */
import type { AppSpan } from "#/machinery/journey/app-span.ts";
import { formatMicroTime } from "#/machinery/time/time.ts";
import { TraceService } from "#/std/trace/trace-service.ts";

/** Limits of what is kept of a span: attributes (count), and characters of a text. */
const maxAttributes = 16;
/** Limit of the attributes of a resource that are read (count), as SDKs have it. */
const maxResourceAttributes = 128;
const maxText = 256;
/** Limit of the spans of one request (count), and of its resources: an SDK sends 512 spans of one resource. */
const maxSpans = 2048;
/** Limit of records of protobuf (count): 64 in each span. */
const maxRecords = 64 * maxSpans;

const kinds = ["unspecified", "internal", "server", "client", "producer", "consumer"];
const statuses = ["unset", "ok", "error"] as const;

/** Attributes that are not kept: headers with credentials, and what is named like a secret. */
const secretName =
  /authorization|cookie|passw|secret|token|credential|api[-_.]?key|private[-_.]?key/i;

/** The spans of one resource, and the Pod that it names; empty texts if it names none. */
export interface ReceivedSpans {
  readonly podUid: string;
  readonly podName: string;
  readonly namespace: string;
  readonly spans: readonly AppSpan[];
}

/** Reads an ExportTraceServiceRequest; throws an Error that says what is wrong. */
export function decodeSpans(body: Uint8Array, isProtobuf: boolean): readonly ReceivedSpans[] {
  const request = isProtobuf
    ? TraceService.methods.Export.request.decode(body, maxRecords)
    : JSON.parse(Buffer.from(body).toString());
  let count = 0;
  const parts = list(record(request)["resourceSpans"], "resourceSpans");
  if (parts.length > maxSpans) throw new Error(`there are more than ${maxSpans} resources`);
  return parts.map((part) => {
    const { resource, scopeSpans } = record(part);
    const about = attributesOf(record(resource ?? {})["attributes"], maxResourceAttributes);
    // The names are those of OpenTelemetry's semantic conventions.
    const named = (name: string): string => about.get(name) ?? "";
    const given = list(scopeSpans, "scopeSpans").flatMap((scoped) =>
      list(record(scoped)["spans"], "spans"),
    );
    count += given.length;
    if (count > maxSpans) throw new Error(`there are more than ${maxSpans} spans`);
    return {
      podUid: named("k8s.pod.uid"),
      podName: named("k8s.pod.name"),
      namespace: named("k8s.namespace.name"),
      spans: given.map((span) => spanOf(record(span), named("service.name"))),
    };
  });
}

function spanOf(span: Readonly<Record<string, unknown>>, service: string): AppSpan {
  const parentSpanId = idOf(span["parentSpanId"]);
  return {
    traceId: idOf(span["traceId"]),
    spanId: idOf(span["spanId"]),
    ...(parentSpanId === "" ? {} : { parentSpanId }),
    name: text(span["name"]),
    kind: nameOf(span["kind"], kinds) ?? "unspecified",
    from: timeOf(span["startTimeUnixNano"]),
    to: timeOf(span["endTimeUnixNano"]),
    service,
    status: nameOf(record(span["status"] ?? {})["code"], statuses) ?? "unset",
    attributes: Object.fromEntries(attributesOf(span["attributes"], maxAttributes)),
  };
}

function attributesOf(value: unknown, limit: number): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const pair of list(value ?? [], "attributes")) {
    if (found.size >= limit) break;
    const { key, value: given } = record(pair);
    const name = text(key);
    if (name !== "" && !secretName.test(name)) found.set(name, text(anyValue(given)));
  }
  return found;
}

/** The value of an AnyValue: {value: {string: …}} in our protobuf form, {stringValue: …} in JSON. */
function anyValue(given: unknown): unknown {
  if (typeof given !== "object" || given === null) return "";
  const inner = Object.values(given)[0];
  const isWrapped = typeof inner === "object" && inner !== null && !Array.isArray(inner);
  return isWrapped && "value" in given ? Object.values(inner)[0] : inner;
}

/** An enumeration's value by its number, or by its name in our protobuf form. */
function nameOf<T extends string>(value: unknown, names: readonly T[]): T | undefined {
  if (typeof value === "number") return names[value];
  const name = String(value ?? names[0]).toLowerCase();
  return names.find((one) => one === name);
}

/** Hexadecimal digits in JSON, bytes in protobuf. */
function idOf(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex").slice(0, maxText);
  const digits = text(value);
  if (!/^[0-9a-fA-F]*$/.test(digits)) throw new Error("an id is not hexadecimal");
  return digits.toLowerCase();
}

/** Limit of times (ns): the last one that a Date holds. */
const maxNanos = 8_640_000_000_000_000_000_000n;

function timeOf(value: unknown): string {
  const nanos = typeof value === "bigint" ? value : BigInt(text(value) || "0");
  if (nanos < 0n || nanos > maxNanos) throw new Error("a time is out of range");
  return formatMicroTime(Number(nanos / 1000n) / 1000);
}

function text(value: unknown): string {
  if (value === undefined || value === null) return "";
  const whole = typeof value === "object" ? JSON.stringify(value) : String(value);
  return whole.slice(0, maxText);
}

function list(value: unknown, name: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new Error(`${name} is not a list`);
  return value;
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) throw new Error("a value is not an object");
  return value as Readonly<Record<string, unknown>>;
}
