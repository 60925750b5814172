/** Upstream: k8s.io/klog/v2/internal/serialize, staging/src/k8s.io/component-base/logs/json. */
import { goQuote } from "../go/go-quote.ts";

export type Severity = "info" | "warning" | "error";

/** A log line before it is formatted. */
export interface LogRecord {
  readonly severity: Severity;
  /** Verbosity of the line; 0 for warnings and errors. */
  readonly level: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly pid: number;
  /** The name of the logger. */
  readonly logger: string;
  /** The component, in a process with several. */
  readonly component?: string | undefined;
  /** Path and line of the caller: `/a/b/file.ts:12`. */
  readonly caller: string;
  readonly message: string;
  /** The error given to error(), if any. */
  readonly error?: unknown;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Formats a record, with its line end. Never throws, whatever the fields hold. */
export type LogFormat = (record: LogRecord) => string;

/** klog's text: `I1115 20:50:00.000000   12345 file.ts:12] "msg" key="value"`. */
export function formatText(record: LogRecord): string {
  const { severity, message, logger, component, error, fields } = record;
  let line = `${severity.charAt(0).toUpperCase()}${textTime(record.time)} `;
  line += `${String(record.pid).padStart(7)} ${callerParts(record.caller, 1)}] ${goQuote(message)}`;
  if (component) line += ` component${textValue(component)}`;
  if (error !== undefined) line += ` err${textValue(error)}`;
  if (logger) line += ` logger${textValue(logger)}`;
  for (const key in fields) line += ` ${key}${textValue(fields[key])}`;
  return `${line}\n`;
}

/** component-base's JSON: `{"ts":1731700000000,"caller":"std/log/log.ts:12","msg":"…","v":0,…}`. */
export function formatJson(record: LogRecord): string {
  const { severity, message, logger, component, level, error, fields } = record;
  let line = `{"ts":${record.time}`;
  if (component) line += `,"component":${JSON.stringify(component)}`;
  if (logger) line += `,"logger":${JSON.stringify(logger)}`;
  line += `,"caller":${JSON.stringify(callerParts(record.caller, 2))}`;
  line += `,"msg":${JSON.stringify(message)}`;
  if (severity !== "error") line += `,"v":${level}`;
  for (const key in fields) line += `,${JSON.stringify(key)}:${jsonValue(fields[key])}`;
  if (error !== undefined) line += `,"err":${jsonValue(error)}`;
  return `${line}}\n`;
}

/** An error's message and those of its causes, the outermost first, joined as Go's errors are. */
export function errorMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.message || error.name;
  if (error.cause === undefined) return own;
  const cause = errorMessage(error.cause);
  return own.includes(cause) ? own : `${own}: ${cause}`;
}

function textTime(time: number): string {
  const date = new Date(time);
  const two = (value: number): string => (value < 10 ? `0${value}` : `${value}`);
  const milliseconds = String(date.getMilliseconds()).padStart(3, "0");
  const clock = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  return `${two(date.getMonth() + 1)}${two(date.getDate())} ${clock}.${milliseconds}000`;
}

/** The last parts of the caller's path, the last one with the line number. */
function callerParts(caller: string, count: number): string {
  return caller.split("/").slice(-count).join("/");
}

/**
 * Limit of a value (characters): errors quote what a client has sent, and requests of some megabytes could fill the disk.
 */
const maxValueLength = 16 * 1024;

const shortened = (text: string): string =>
  text.length <= maxValueLength
    ? text
    : `${text.slice(0, maxValueLength)}... (${text.length - maxValueLength} more characters)`;

function textValue(value: unknown): string {
  const whole = asText(value);
  if (whole === undefined) return `=${shortened(safeJson(value))}`;
  const text = shortened(whole);
  if (!text.includes("\n")) return `=${goQuote(text)}`;
  const lines = text.endsWith("\n") ? text.slice(0, -1) : text;
  return `=<\n\t${lines.replaceAll("\n", "\n\t")}\n >`;
}

function jsonValue(value: unknown): string {
  const text = value instanceof Error ? asText(value) : undefined;
  if (text !== undefined) return JSON.stringify(shortened(text));
  if (typeof value === "string") return JSON.stringify(shortened(value));
  const json = safeJson(value);
  return json.length <= maxValueLength ? json : JSON.stringify(shortened(json));
}

/** The text of strings, errors, and objects with their own toString(). */
function asText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  try {
    if (value instanceof Error) return errorMessage(value);
    if (value.toString === Object.prototype.toString) return undefined;
    return String(value);
  } catch (error) {
    return `<panic: ${causeOf(error)}>`;
  }
}

function safeJson(value: unknown): string {
  try {
    return JSON.stringify(value, jsonReplacer) ?? "null";
  } catch (error) {
    return JSON.stringify(`<internal error: ${causeOf(error)}>`);
  }
}

function jsonReplacer(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (value instanceof Map) return Object.fromEntries(value);
  if (value instanceof Set) return [...value];
  return value;
}

function causeOf(error: unknown): string {
  return error instanceof Error ? (error.message.split("\n")[0] ?? "") : "not an Error";
}
