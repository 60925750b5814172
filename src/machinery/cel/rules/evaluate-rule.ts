import { goQuote } from "#/std/go/go-quote.ts";
import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  required,
} from "../../meta/field-error.ts";
import { FieldPath } from "../../meta/field-path.ts";
import { outOfBudget } from "../cost/budget.ts";
import type { Evaluation } from "../program.ts";
import type { Bindings } from "../runtime/frame.ts";
import type { ValidationRule } from "../schema/json-schema.ts";
import { CelFault } from "../value/cel-fault.ts";
import type { CompiledRule } from "./compile-rules.ts";
import type { Part, Run } from "./rule-validator.ts";

/** Limit of the message of a messageExpression (bytes). */
const maxMessageBytes = 5 * 1024;

/** The input of a rule. */
interface RuleInput {
  readonly part: Part;
  /** The type in the schema, which replaces the value in messages. */
  readonly type: string;
  readonly bindings: Bindings;
  readonly messageBindings: Bindings;
}

/** Evaluates one rule and reports its findings. */
export function evaluateRule(run: Run, compiled: CompiledRule, input: RuleInput): void {
  const { part, type } = input;
  const { rule, program, error } = compiled;
  const fail = (detail: string) => invalid(part.path, type, detail);
  if (error !== undefined) {
    run.errors.push(fail(`rule compile error: ${error}`));
    return;
  }
  if (program === undefined) return;
  const evaluation = program.evaluate(input.bindings);
  if (evaluation.cost > run.budget) {
    run.end(fail(outOfBudget));
    return;
  }
  run.budget -= evaluation.cost;
  if (evaluation.value instanceof CelFault) reportFault(run, evaluation, rule, fail);
  else if (evaluation.value !== true) reportFailure(run, compiled, input);
}

function reportFault(
  run: Run,
  { value, cancelled }: Evaluation,
  rule: ValidationRule,
  fail: (detail: string) => FieldError,
): void {
  const { message } = value as CelFault;
  const shown = ruleText(rule);
  if (cancelled) {
    const why = "no further validation rules will be run due to call cost exceeds limit for rule";
    run.end(fail(`'${message}': ${why}: ${shown}`));
  } else if (message.startsWith("no such overload")) {
    const why =
      "call arguments did not match a supported operator, function or macro signature for rule";
    run.errors.push(fail(`'${message}': ${why}: ${shown}`));
  } else {
    run.errors.push(fail(`${message} evaluating rule: ${shown}`));
  }
}

function reportFailure(
  run: Run,
  compiled: CompiledRule,
  { part, type, messageBindings }: RuleInput,
): void {
  const { rule, fieldPath, usesOldSelf } = compiled;
  const path = fieldPath === undefined ? part.path : new FieldPath(part.path, fieldPath, "");
  const report = (error: FieldError): void => {
    const isOld = !usesOldSelf && part.ratchet.isUnchanged;
    (isOld ? run.warnings : run.errors).push(error);
  };
  const message = computeMessage(run, compiled, messageBindings);
  if (message?.fatal !== undefined) {
    report(invalid(path, type, message.fatal));
    run.budget = -1;
    return;
  }
  const detail = message?.text ?? defaultMessage(rule);
  const value = type === "object" || type === "array" ? undefined : part.value;
  report(errorOfReason(rule.reason, { path, value, detail }));
}

/** The message of a rule's messageExpression; undefined if it has none. */
function computeMessage(
  run: Run,
  { rule, message }: CompiledRule,
  bindings: Bindings,
): { text?: string; fatal?: string } | undefined {
  if (message === undefined) return undefined;
  const { value, cost, cancelled } = message.evaluate(bindings);
  if (cost > run.budget) {
    const why = "messageExpression evaluation failed due to running out of cost budget";
    return { fatal: `${why}, no further validation rules will be run` };
  }
  if (cancelled) {
    const why = "no further validation rules will be run due to call cost exceeds limit";
    return { fatal: `${why} for messageExpression: ${goQuote(rule.messageExpression ?? "")}` };
  }
  run.budget -= cost;
  const text = typeof value === "string" ? value.trim() : "";
  const isUsable =
    text !== "" && !text.includes("\n") && Buffer.byteLength(text) <= maxMessageBytes;
  return isUsable ? { text } : undefined;
}

/** A rule in messages: its message, or else its text. */
function ruleText({ rule, message = "" }: ValidationRule): string {
  return (message === "" ? rule : message).trim();
}

function defaultMessage(rule: ValidationRule): string {
  return rule.message ? rule.message.trim() : `failed rule: ${ruleText(rule)}`;
}

interface Failure {
  readonly path: FieldPath | undefined;
  readonly value: unknown;
  readonly detail: string;
}

function errorOfReason(reason: string | undefined, { path, value, detail }: Failure): FieldError {
  switch (reason) {
    case "FieldValueForbidden":
      return forbidden(path, detail);
    case "FieldValueRequired":
      return required(path, detail);
    case "FieldValueDuplicate":
      return duplicate(path, value);
    default:
      return invalid(path, value, detail);
  }
}
