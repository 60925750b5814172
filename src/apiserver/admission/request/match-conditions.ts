import type { MatchCondition } from "#/api/admissionregistration/v1.ts";
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
import { lazily } from "#/std/base/lazily.ts";
import type { Steps } from "#/std/base/steps.ts";
import { joinMessages } from "../base/forbid.ts";

/** Whether conditions hold, or the error of their evaluation. */
export type MatchResult = { readonly matches: boolean } | { readonly error: string };

/** Limit of the total cost of one matcher's conditions. Upstream: RuntimeCELCostBudgetMatchConditions. */
const matchBudget = 2_500_000;

/**
 * Conditions that are evaluated before a webhook or policy.
 * Upstream: staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions/matcher.go.
 */
export class MatchConditions {
  readonly #compiler: PolicyCompiler;
  readonly #expressions: readonly (() => PolicyExpression)[];

  constructor(
    conditions: readonly MatchCondition[],
    compiler: PolicyCompiler = new PolicyCompiler({ authorizer: true, variables: false }),
  ) {
    this.#compiler = compiler;
    this.#expressions = conditions.map(({ expression }) =>
      lazily(() => compiler.compile(expression)),
    );
  }

  get isEmpty(): boolean {
    return this.#expressions.length === 0;
  }

  /** One false condition suffices for "no match", whatever the errors of others. */
  *match(bindings: PolicyBindings): Steps<MatchResult> {
    yield* this.#compiler.ready();
    const errors: string[] = [];
    try {
      const run = new PolicyRun(this.#compiler, bindings, matchBudget);
      const outcomes: PolicyOutcome[] = [];
      for (const expression of this.#expressions) {
        const compiled = expression();
        yield;
        outcomes.push(run.evaluate(compiled));
        yield;
      }
      for (const outcome of outcomes) {
        if ("error" in outcome) errors.push(outcome.error);
        else if (outcome.value === false) return { matches: false };
      }
    } catch (error) {
      if (!(error instanceof OutOfBudgetError)) throw error;
      return { error: error.message };
    }
    return errors.length > 0 ? { error: joinMessages(errors) } : { matches: true };
  }
}
