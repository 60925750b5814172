import type { RE2JS } from "re2js";
import { re2 } from "#/std/go/re2.ts";
import { memoByKey } from "#/std/memory/memo.ts";
import type { Implementation } from "../model/declaration.ts";
import { CelFault, noSuchOverload } from "../value/cel-fault.ts";
import { ArrayList } from "../value/cel-list.ts";
import type { CelResult } from "../value/cel-value.ts";
import { PlanError } from "./planned.ts";

/** An invalid regular expression of RE2's syntax. */
export class PatternError extends Error {
  override readonly name = "PatternError";
}

/** Limit of cached patterns (count), for patterns that expressions compute. */
const maxCached = 128;

/**
 * Compiles a regular expression, which matches in time linear in the text. Throws PatternError with
 * Go's message.
 */
export const compileRegex = memoByKey(compile, maxCached);

function compile(pattern: string): RE2JS {
  try {
    return re2().RE2JS.compile(pattern);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new PatternError(withSubject(message, pattern), { cause: error });
  }
}

/** Go always prints the invalid part. */
function withSubject(message: string, pattern: string): string {
  if (message.endsWith("trailing backslash at end of expression")) return `${message}: \`\``;
  return message.endsWith("expression nests too deeply") ? `${message}: \`${pattern}\`` : message;
}

/** The first match of a pattern in a text, or "". */
export function findFirst(regex: RE2JS, text: string): string {
  const matcher = regex.matcher(text);
  return matcher.find() ? (matcher.group() ?? "") : "";
}

/** The matches of a pattern in a text, at most `limit` unless it is negative. */
export function findAll(regex: RE2JS, text: string, limit: bigint): ArrayList {
  const matcher = regex.matcher(text);
  const found: string[] = [];
  while ((limit < 0n || BigInt(found.length) < limit) && matcher.find()) {
    found.push(matcher.group() ?? "");
  }
  return new ArrayList(found);
}

type OnText = (regex: RE2JS, text: string, limit: bigint) => CelResult;

const functions: ReadonlyMap<string, OnText> = new Map<string, OnText>([
  ["matches", (regex, text) => regex.matcher(text).find()],
  ["find", findFirst],
  ["findAll", findAll],
]);

/**
 * A string function with its pattern compiled; undefined if it has no pattern. Throws PlanError.
 */
export function compilePattern(name: string, pattern: string): Implementation | undefined {
  const apply = functions.get(name);
  if (apply === undefined) return undefined;
  const regex = compileOrThrow(pattern);
  return (text, _pattern, limit = -1n) => {
    if (typeof text !== "string" || typeof limit !== "bigint") return noSuchOverload;
    return apply(regex, text, limit);
  };
}

function compileOrThrow(pattern: string): RE2JS {
  try {
    return compileRegex(pattern);
  } catch (error) {
    if (error instanceof PatternError) throw new PlanError(error.message, { cause: error });
    throw error;
  }
}

/** Applies a computed pattern; an invalid one is a fault. */
export function withRegex(
  pattern: string,
  prefix: string,
  use: (regex: RE2JS) => CelResult,
): CelResult {
  try {
    return use(compileRegex(pattern));
  } catch (error) {
    if (error instanceof PatternError) return new CelFault(`${prefix}${error.message}`);
    throw error;
  }
}
