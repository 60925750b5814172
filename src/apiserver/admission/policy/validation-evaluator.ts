import type {
  AuditAnnotation,
  ValidatingAdmissionPolicy,
  Validation,
} from "#/api/admissionregistration/v1.ts";
import {
  PolicyCompiler,
  type PolicyExpression,
} from "#/machinery/cel/admission/policy-compiler.ts";
import {
  OutOfBudgetError,
  type PolicyBindings,
  type PolicyOutcome,
  PolicyRun,
} from "#/machinery/cel/admission/policy-run.ts";
import { boolType, nullType, stringType } from "#/machinery/cel/type/cel-type.ts";
import { append } from "#/std/base/append.ts";
import { lazily } from "#/std/base/lazily.ts";
import type { Steps } from "#/std/base/steps.ts";
import { MatchConditions } from "../request/match-conditions.ts";
import { withoutAuthorizer } from "./policy-bindings.ts";

/** The reason why a request violates a policy, or can't be evaluated. */
interface PolicyDenial {
  /** The index of the validation. */
  readonly index: number;
  readonly message: string;
  readonly reason?: string;
}

/** The result of a policy for a request. */
export interface Verdict {
  readonly denials: readonly PolicyDenial[];
  /** Audit annotations. */
  readonly annotations: readonly { readonly key: string; readonly value: string }[];
  /** Failed audit annotations, which count as a denial whatever the binding's actions. */
  readonly failures: readonly string[];
}

/** Limit of messages that are shown (bytes). */
const maxMessageBytes = 5 * 1024;
/** Limit of annotations (bytes); the rest is truncated. */
const maxAnnotationBytes = 10 * 1024;

const nothing: Verdict = { denials: [], annotations: [], failures: [] };

/**
 * The expressions of a ValidatingAdmissionPolicy, compiled.
 * Upstream: staging/src/k8s.io/apiserver/pkg/admission/plugin/policy/validating/validator.go.
 */
export class ValidationEvaluator {
  readonly #compiler: PolicyCompiler;
  readonly #conditions: MatchConditions;
  readonly #validations: readonly {
    readonly validation: Validation;
    readonly expression: () => PolicyExpression;
    readonly message: () => PolicyExpression | undefined;
  }[];
  readonly #annotations: readonly {
    readonly annotation: AuditAnnotation;
    readonly expression: () => PolicyExpression;
  }[];
  readonly #ignoresFailures: boolean;

  constructor({ spec = {} }: ValidatingAdmissionPolicy) {
    const compiler = new PolicyCompiler({
      params: spec.paramKind !== undefined,
      authorizer: true,
    });
    compiler.addLater(spec.variables ?? []);
    this.#compiler = compiler;
    this.#conditions = new MatchConditions(spec.matchConditions ?? [], compiler);
    this.#validations = (spec.validations ?? []).map((validation) => ({
      validation,
      expression: lazily(() => compiler.compile(validation.expression, [boolType])),
      message: lazily(() => messageOf(compiler, validation)),
    }));
    this.#annotations = (spec.auditAnnotations ?? []).map((annotation) => ({
      annotation,
      expression: lazily(() =>
        compiler.compile(annotation.valueExpression, [stringType, nullType]),
      ),
    }));
    this.#ignoresFailures = spec.failurePolicy === "Ignore";
  }

  /** Evaluates a request; expressions are compiled on first use. May throw errors of the authorizer. */
  *evaluate(bindings: PolicyBindings): Steps<Verdict> {
    const match = yield* this.#conditions.match(bindings);
    if ("error" in match) return this.#failed(match.error);
    if (!match.matches) return nothing;
    try {
      const denials = yield* this.#judge(bindings);
      return { denials, ...(yield* this.#annotate(withoutAuthorizer(bindings))) };
    } catch (error) {
      if (!(error instanceof OutOfBudgetError)) throw error;
      return this.#failed(error.message);
    }
  }

  #failed(message: string): Verdict {
    if (this.#ignoresFailures) return nothing;
    return { denials: [{ index: 0, message }], annotations: [], failures: [] };
  }

  *#judge(bindings: PolicyBindings): Steps<PolicyDenial[]> {
    const run = new PolicyRun(this.#compiler, bindings);
    const outcomes: PolicyOutcome[] = [];
    for (const { expression } of this.#validations) {
      const compiled = expression();
      yield;
      outcomes.push(run.evaluate(compiled));
      yield;
    }
    const messages = new PolicyRun(
      this.#compiler,
      withoutAuthorizer(bindings),
      run.remainingBudget,
    );
    const denials: PolicyDenial[] = [];
    for (const [index, outcome] of outcomes.entries()) {
      if ("error" in outcome) {
        if (!this.#ignoresFailures) denials.push({ index, message: outcome.error });
      } else if (outcome.value !== true) {
        append(denials, this.#denial(index, messages));
        yield;
      }
    }
    return denials;
  }

  #denial(index: number, messages: PolicyRun): PolicyDenial[] {
    const { validation, message: compiled } = this.#validations[index] ?? {};
    if (!validation) return [];
    try {
      const { reason = "Invalid", expression } = validation;
      const message = compiled?.();
      const text =
        (message && evaluatedMessage(messages, message)) ||
        validation.message?.trim() ||
        `failed expression: ${expression.trim()}`;
      return [{ index, message: text, reason }];
    } catch (error) {
      if (!(error instanceof OutOfBudgetError)) throw error;
      if (this.#ignoresFailures) return [];
      return [{ index, message: `failed messageExpression: ${error.message}` }];
    }
  }

  *#annotate(bindings: PolicyBindings): Steps<Pick<Verdict, "annotations" | "failures">> {
    const run = new PolicyRun(this.#compiler, bindings);
    const annotations: { key: string; value: string }[] = [];
    const failures: string[] = [];
    for (const { annotation, expression } of this.#annotations) {
      const compiled = expression();
      yield;
      const outcome = run.evaluate(compiled);
      yield;
      if ("error" in outcome) {
        if (!this.#ignoresFailures) failures.push(outcome.error);
      } else if (typeof outcome.value === "string") {
        const value = outcome.value.trim();
        if (value !== "") annotations.push({ key: annotation.key, value: cut(value) });
      }
    }
    return { annotations, failures };
  }
}

/** An expression for a message has no authorizer. */
function messageOf(
  compiler: PolicyCompiler,
  { messageExpression }: Validation,
): PolicyExpression | undefined {
  if (!messageExpression) return undefined;
  const compiled = compiler.compile(messageExpression, [stringType]);
  return compiled.program?.usesVariable("authorizer") ? undefined : compiled;
}

/** The message, unless it is too long or has several lines. */
function evaluatedMessage(run: PolicyRun, expression: PolicyExpression): string {
  const outcome = run.evaluate(expression);
  if ("error" in outcome || typeof outcome.value !== "string") return "";
  const message = outcome.value.trim();
  return Buffer.byteLength(message) > maxMessageBytes || message.includes("\n") ? "" : message;
}

const cut = (text: string): string =>
  Buffer.byteLength(text) <= maxAnnotationBytes
    ? text
    : Buffer.from(text).subarray(0, maxAnnotationBytes).toString();
