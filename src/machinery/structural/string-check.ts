import { invalid, tooLong } from "../meta/field-error.ts";
import { compilePattern, type Pattern, PatternError } from "./pattern.ts";
import type { ValidationRun } from "./validation-run.ts";

/** A schema's rules for strings; lengths are in characters. */
interface StringRule {
  readonly maxLength: number;
  readonly minLength: number;
  /** "" for none. */
  readonly pattern: string;
  readonly matcher: Pattern | PatternError | undefined;
}

/** Creates the string rule of a schema; its pattern is compiled once. */
export function stringRule(source: {
  readonly maxLength?: number;
  readonly minLength?: number;
  readonly pattern?: string;
}): StringRule {
  const pattern = source.pattern ?? "";
  return {
    maxLength: source.maxLength ?? Number.POSITIVE_INFINITY,
    minLength: source.minLength ?? 0,
    pattern,
    matcher: pattern === "" ? undefined : tryCompile(pattern),
  };
}

function tryCompile(pattern: string): Pattern | PatternError {
  try {
    return compilePattern(pattern);
  } catch (error) {
    if (error instanceof PatternError) return error;
    throw error;
  }
}

/**
 * Checks a string; only the first violated rule is reported.
 *
 * Upstream: vendor/k8s.io/kube-openapi/pkg/validation/validate/validator.go.
 */
export function checkString(rule: StringRule, value: string, run: ValidationRun): void {
  const { maxLength, minLength, pattern, matcher } = rule;
  if (value.length > maxLength && countCharacters(value) > maxLength) {
    const text = `should be at most ${maxLength} chars long`;
    run.report(text, (path) => tooLong(path, maxLength));
    return;
  }
  if (minLength > 0 && countCharacters(value) < minLength) {
    const text = `should be at least ${minLength} chars long`;
    run.report(text, (path, message) => invalid(path, value, message));
    return;
  }
  if (matcher === undefined) return;
  if (matcher instanceof PatternError) {
    const text = `should match '${pattern}, but pattern is invalid: ${matcher.message}'`;
    run.report(text, (path, message) => invalid(path, value, message));
  } else if (!matcher.test(value)) {
    const text = `should match '${pattern}'`;
    run.report(text, (path, message) => invalid(path, value, message));
  }
}

function countCharacters(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length - 1; at++) {
    const high = (text.charCodeAt(at) & 0xfc00) === 0xd800;
    if (high && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) count--;
  }
  return count;
}
