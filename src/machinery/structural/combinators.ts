import { goQuote } from "#/std/go/go-quote.ts";
import { type Check, uncorrelated, type ValidationRun } from "./validation-run.ts";

/** The compiled schemas of allOf, anyOf, oneOf and not. */
export interface Combinators {
  readonly anyOf: readonly Check[];
  readonly oneOf: readonly Check[];
  readonly allOf: readonly Check[];
  readonly not: Check | undefined;
}

/**
 * Checks a value against allOf, anyOf, oneOf and not. Where no alternative matches, the problems of
 * the best one are reported as well. Earlier problems are never removed here.
 *
 * Upstream: vendor/k8s.io/kube-openapi/pkg/validation/validate/schema_props.go.
 */
export function checkCombinators(
  { anyOf, oneOf, allOf, not }: Combinators,
  value: unknown,
  run: ValidationRun,
): void {
  const attempt = (check: Check): ValidationRun => {
    const branch = run.fork();
    check(value, uncorrelated, branch);
    return branch;
  };
  if (anyOf.length > 0) checkAnyOf(anyOf, attempt, run);
  if (oneOf.length > 0) checkOneOf(oneOf, attempt, run);
  if (allOf.length > 0) checkAllOf(allOf, attempt, run);
  if (not !== undefined && attempt(not).isValid) {
    run.reportWithoutField(`${goQuote(run.name)} must not validate the schema (not)`);
  }
}

type Attempt = (check: Check) => ValidationRun;

function checkAnyOf(checks: readonly Check[], attempt: Attempt, run: ValidationRun): void {
  let nearest: ValidationRun | undefined;
  for (const check of checks) {
    const branch = attempt(check);
    if (branch.isValid) {
      run.merge(branch);
      return;
    }
    if (nearest === undefined || branch.matches > nearest.matches) nearest = branch;
  }
  run.reportWithoutField(`${goQuote(run.name)} must validate at least one schema (anyOf)`);
  if (nearest !== undefined) run.merge(nearest);
}

function checkOneOf(checks: readonly Check[], attempt: Attempt, run: ValidationRun): void {
  let nearest: ValidationRun | undefined;
  let first: ValidationRun | undefined;
  let valid = 0;
  for (const check of checks) {
    const branch = attempt(check);
    if (branch.isValid) {
      valid++;
      first ??= branch;
    } else if (nearest === undefined || branch.matches > nearest.matches) nearest = branch;
  }
  if (valid === 1 && first !== undefined) {
    run.merge(first);
    return;
  }
  const found = valid === 0 ? "Found none valid" : `Found ${valid} valid alternatives`;
  run.reportWithoutField(
    `${goQuote(run.name)} must validate one and only one schema (oneOf). ${found}`,
  );
  if (valid === 0 && nearest !== undefined) run.merge(nearest);
}

function checkAllOf(checks: readonly Check[], attempt: Attempt, run: ValidationRun): void {
  let valid = 0;
  for (const check of checks) {
    const branch = attempt(check);
    if (branch.isValid) valid++;
    run.merge(branch);
  }
  if (valid === checks.length) return;
  const none = valid === 0 ? ". None validated" : "";
  run.reportWithoutField(`${goQuote(run.name)} must validate all the schemas (allOf)${none}`);
}
