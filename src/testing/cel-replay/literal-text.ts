import { ObjectPatchValue } from "#/machinery/cel/library/patch-types.ts";
import { CelType } from "#/machinery/cel/type/cel-type.ts";
import { CelFault } from "#/machinery/cel/value/cel-fault.ts";
import { CelList } from "#/machinery/cel/value/cel-list.ts";
import { CelMap } from "#/machinery/cel/value/cel-map.ts";
import { type CelResult, typeOf } from "#/machinery/cel/value/cel-value.ts";
import { Duration } from "#/machinery/cel/value/duration.ts";
import { Optional } from "#/machinery/cel/value/optional.ts";
import { Timestamp } from "#/machinery/cel/value/timestamp.ts";
import { Uint } from "#/machinery/cel/value/uint.ts";
import { formatFixed } from "#/std/go/float.ts";
import { goQuote } from "#/std/go/go-quote.ts";

/** A value as a literal of an expression, in the recorder's format. */
export function literalText(value: CelResult): string {
  if (value === null) return "null";
  if (typeof value === "string") return goQuote(value);
  if (typeof value === "number") return doubleText(value);
  if (typeof value !== "object") return String(value);
  if (value instanceof CelFault) return value.message;
  if (value instanceof Uint) return `${value.value}u`;
  if (value instanceof Uint8Array) return bytesText(value);
  if (value instanceof CelList) return `[${Array.from(value, literalText).join(", ")}]`;
  if (value instanceof CelMap) return mapText(value);
  if (value instanceof Optional) {
    return value.value === undefined
      ? "optional.none()"
      : `optional.of(${literalText(value.value)})`;
  }
  if (value instanceof Duration) return `duration("${value}")`;
  if (value instanceof Timestamp) return `timestamp("${new Timestamp(value.nanos)}")`;
  if (value instanceof CelType) return value.name;
  if (value instanceof ObjectPatchValue)
    return `${value.type.name}${JSON.stringify(toJson(value))}`;
  const name = constructors.get(typeOf(value).name);
  if (name === undefined) return typeOf(value).name;
  return `${name}(${goQuote(String(value))})`;
}

const constructors: ReadonlyMap<string, string> = new Map([
  ["kubernetes.Quantity", "quantity"],
  ["net.IP", "ip"],
  ["net.CIDR", "cidr"],
  ["kubernetes.URL", "url"],
  ["kubernetes.Semver", "semver"],
]);

function doubleText(value: number): string {
  if (Number.isNaN(value)) return 'double("NaN")';
  if (!Number.isFinite(value)) return `double("${value > 0 ? "" : "-"}Infinity")`;
  const text = formatFixed(value);
  return text.includes(".") ? text : `${text}.0`;
}

function bytesText(value: Uint8Array): string {
  return `b"${Array.from(value, (byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("")}"`;
}

function mapText(map: CelMap): string {
  const entries = Array.from(map.entries(), ([key, value]) => {
    return `${literalText(key)}: ${literalText(value)}`;
  });
  return `{${entries.sort().join(", ")}}`;
}

function toJson(value: CelResult): unknown {
  if (value instanceof ObjectPatchValue) {
    return Object.fromEntries(Array.from(value.fields, ([name, field]) => [name, toJson(field)]));
  }
  return typeof value === "bigint" ? Number(value) : value;
}
