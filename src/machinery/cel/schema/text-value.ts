import { daysFromCivil } from "../value/calendar.ts";
import { CelFault } from "../value/cel-fault.ts";
import type { CelResult } from "../value/cel-value.ts";
import { Duration, parseDuration } from "../value/duration.ts";
import { parseTimestamp, Timestamp } from "../value/timestamp.ts";
import { dateLayout, localTimeLayout, timeProblem } from "./time-layout.ts";

/**
 * The value of a string with a format. Upstream: vendor/k8s.io/kube-openapi/pkg/validation/strfmt.
 */
export function parseText(text: string, format: string | undefined): CelResult {
  switch (format) {
    case "duration":
      return parseDurationText(text);
    case "date": {
      const problem = timeProblem(text, dateLayout);
      if (problem !== undefined)
        return new CelFault(`Invalid date formatted string ${text}: ${problem}`);
      const [year = 0, month = 0, day = 0] = text.split("-").map(Number);
      return new Timestamp(BigInt(daysFromCivil(year, month, day)) * 86_400_000_000_000n);
    }
    case "date-time":
      return parseDateTime(text);
    case "byte":
      return decodeBase64(text);
    default:
      return text;
  }
}

/** Several time formats are supported, one of them without a zone. */
function parseDateTime(text: string): CelResult {
  if (text === "") return new Timestamp(0n);
  const time = parseTimestamp(text) ?? parseTimestamp(`${text}Z`);
  if (time !== undefined) return time;
  const problem = timeProblem(text, localTimeLayout) ?? "";
  return new CelFault(`Invalid date-time formatted string ${text}: ${problem}`);
}

const units: readonly (readonly [names: readonly string[], nanos: bigint])[] = [
  [["ns", "nano"], 1n],
  [["us", "µs", "micro"], 1_000n],
  [["ms", "milli"], 1_000_000n],
  [["s", "sec"], 1_000_000_000n],
  [["m", "min"], 60_000_000_000n],
  [["h", "hr", "hour"], 3_600_000_000_000n],
  [["d", "day"], 86_400_000_000_000n],
  [["w", "wk", "week"], 604_800_000_000_000n],
];

/** A Go duration, or one in words: 2 days 3 hours. */
function parseDurationText(text: string): CelResult {
  const plain = parseDuration(text);
  if (plain !== undefined) return plain;
  let total: bigint | undefined;
  for (const [, digits = "0", name = ""] of text.matchAll(/(\d+)\s*([A-Za-zµ]+)/g)) {
    const unit = name.toLowerCase();
    for (const [names, nanos] of units) {
      if (!names.includes(unit) && !unit.startsWith(names.at(-1) ?? " ")) continue;
      total = BigInt.asIntN(64, (total ?? 0n) + BigInt(digits) * nanos);
    }
  }
  if (total !== undefined) return new Duration(total);
  return new CelFault(`Invalid duration ${text}: unable to parse ${text} as duration`);
}

/** Bytes in URL-safe base64, with padding. */
function decodeBase64(text: string): CelResult {
  const plain = text.replace(/[\r\n]/g, "");
  if (/^(?:[\w-]{4})*(?:[\w-]{2}==|[\w-]{3}=)?$/.test(plain))
    return Buffer.from(plain, "base64url");
  const wrong = plain.search(/[^\w-]/);
  const at = wrong >= 0 ? wrong : plain.length - (plain.length % 4);
  return new CelFault(
    `Invalid byte formatted string ${text}: illegal base64 data at input byte ${at}`,
  );
}
