import { goQuote } from "#/std/go/go-quote.ts";
import { compareText } from "#/std/text/compare-text.ts";
import { CelType } from "../../type/cel-type.ts";
import { CelFault } from "../../value/cel-fault.ts";
import { CelList } from "../../value/cel-list.ts";
import { CelMap } from "../../value/cel-map.ts";
import { type CelResult, type CelValue, typeOf } from "../../value/cel-value.ts";
import { toText } from "../../value/conversion.ts";
import { Duration } from "../../value/duration.ts";
import { spendEffort } from "../../value/effort.ts";
import { Timestamp } from "../../value/timestamp.ts";
import { ClauseError } from "./format-clause.ts";
import { exactDecimal } from "./format-number.ts";

const failed = (why: string): ClauseError => new ClauseError(`error during formatting: ${why}`);

/** A value as %s prints it. Throws ClauseError. */
export function formatText(value: CelValue): string {
  if (value instanceof CelList) return formatList(value);
  if (value instanceof CelMap) return formatMap(value);
  if (value === null) return "null";
  if (value instanceof CelType) return value.name;
  const text = toText(value);
  if (typeof text === "string") return text;
  throw failed(`could not convert argument ${goQuote(messageOf(text))} to string`);
}

const messageOf = (text: CelResult): string => (text instanceof CelFault ? text.message : "");

function formatList(list: CelList): string {
  return `[${Array.from(list, formatPart).join(", ")}]`;
}

function formatMap(map: CelMap): string {
  const entries = Array.from(map.entries(), ([key, value]) => {
    const isKey = typeof key === "object" ? typeOf(key).kind === "uint" : typeof key !== "number";
    if (!isKey) throw failed(`no formatting function for map key of type ${typeOf(key).name}`);
    return [formatPart(key), formatPart(value)] as const;
  });
  entries.sort(([a], [b]) => compareText(a, b));
  return `{${entries.map(([key, value]) => `${key}:${value}`).join(", ")}}`;
}

/** Effort of writing a part of a value, relative to reading it. */
const partEffort = 5;

/** A value inside a list or map, where strings are quoted. */
function formatPart(value: CelResult): string {
  spendEffort(partEffort);
  if (value instanceof CelFault) throw failed("no formatting function for error");
  if (typeof value === "string") return goQuote(value);
  if (typeof value === "number") return formatNumber(value);
  if (value instanceof Uint8Array) return `b${goQuote(formatText(value))}`;
  if (value instanceof Timestamp) return `timestamp(${goQuote(value.toString())})`;
  if (value instanceof Duration) return `duration(${goQuote(value.toString())})`;
  const type = typeOf(value);
  const isKnown = ["bool", "int", "uint", "null", "type", "list", "map"].includes(type.kind);
  if (!isKnown) throw failed(`no formatting function for ${type.name}`);
  return formatText(value);
}

function formatNumber(value: number): string {
  if (Number.isNaN(value)) return '"NaN"';
  if (!Number.isFinite(value)) return value > 0 ? '"+Inf"' : '"-Inf"';
  return exactDecimal(value, 6);
}
