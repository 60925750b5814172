import { badRequest } from "#/machinery/meta/status-error.ts";
import { formatTime, parseTime } from "#/machinery/time/time.ts";
import { goQuote } from "#/std/go/go-quote.ts";

/**
 * Reads the options of a request from its query, as upstream decodes them.
 * Upstream: staging/src/k8s.io/apimachinery/pkg/runtime/converter.go, pkg/apis/meta/v1/conversion.go.
 */

/** True unless the value is absent, "0" or "false". */
export function flagIn(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  return value !== null && value !== "0" && value.toLowerCase() !== "false";
}

/** An integer; undefined if absent, 400 if invalid. */
export function integerIn(query: URLSearchParams, name: string): bigint | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  const problem = (text: string) =>
    badRequest(`strconv.ParseInt: parsing ${goQuote(value)}: ${text}`);
  if (!/^[+-]?[0-9]+$/.test(value)) throw problem("invalid syntax");
  const number = BigInt(value.replace(/^\+/, ""));
  if (BigInt.asIntN(64, number) !== number) throw problem("value out of range");
  return number;
}

/** Port numbers, several to a value; 400 if one is invalid. */
export function portsIn(query: URLSearchParams, name: string): number[] {
  return query.getAll(name).flatMap((value) => value.split(",").map(parsePort));
}

function parsePort(text: string): number {
  const problem = (why: string) =>
    badRequest(`cannot convert to []int32: strconv.ParseUint: parsing ${goQuote(text)}: ${why}`);
  if (!/^[0-9]+$/.test(text)) throw problem("invalid syntax");
  if (Number(text) > 65535) throw problem("value out of range");
  return Number(text);
}

/** A time; undefined if absent, "zero" if empty, 400 if invalid. */
export function timeIn(query: URLSearchParams, name: string): string | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  if (value === "" || value === "null") return "0001-01-01T00:00:00Z";
  try {
    return formatTime(parseTime(value));
  } catch (error) {
    throw badRequest(error instanceof Error ? error.message : String(error));
  }
}
