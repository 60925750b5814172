import { CelFault } from "../../value/cel-fault.ts";
import type { CelList } from "../../value/cel-list.ts";
import { type CelResult, type CelValue, typeOf } from "../../value/cel-value.ts";
import { Uint } from "../../value/uint.ts";
import { type Clause, ClauseError, clauseProblem, parseClauses } from "./format-clause.ts";
import { formatDouble, formatScientific } from "./format-number.ts";
import { formatText } from "./format-text.ts";

/**
 * A text with its clauses (%s, %d, %.2f …) replaced by arguments.
 *
 * Upstream: vendor/github.com/google/cel-go/ext/formatting.go.
 */
export function formatString(template: string, args: CelList): CelResult {
  try {
    return parseClauses(template, args.length)
      .map((part) => {
        return typeof part === "string" ? part : formatClause(part, args.at(part.index));
      })
      .join("");
  } catch (error) {
    if (error instanceof ClauseError) return new CelFault(error.message);
    throw error;
  }
}

function formatClause(clause: Clause, arg: CelResult): string {
  if (arg instanceof CelFault) throw new ClauseError(`error during formatting: ${arg.message}`);
  const problem = clauseProblem(clause.verb, typeOf(arg));
  const isSpecial = arg === "NaN" || arg === "Infinity" || arg === "-Infinity";
  const isNumber = clause.verb === "f" || clause.verb === "e";
  if (problem !== undefined || (isNumber && typeof arg === "string" && !isSpecial)) {
    throw new ClauseError(
      `error during formatting: ${problem ?? clauseProblem(clause.verb, undefined, typeOf(arg).name)}`,
    );
  }
  switch (clause.verb) {
    case "s":
      return formatText(arg);
    case "d":
      return String(integer(arg));
    case "f":
      return formatDouble(Number(arg), clause.precision ?? 6);
    case "e":
      return formatScientific(Number(arg), clause.precision ?? 6);
    case "b":
      return typeof arg === "boolean" ? String(Number(arg)) : integer(arg).toString(2);
    case "o":
      return integer(arg).toString(8);
    case "x":
      return hexadecimal(arg);
    case "X":
      return hexadecimal(arg).toUpperCase();
  }
}

function integer(arg: CelValue): bigint {
  return arg instanceof Uint ? arg.value : BigInt(arg as bigint);
}

function hexadecimal(arg: CelValue): string {
  if (typeof arg === "string" || arg instanceof Uint8Array) return Buffer.from(arg).toString("hex");
  return integer(arg).toString(16);
}
