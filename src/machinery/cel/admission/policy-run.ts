import { goQuote } from "#/std/go/go-quote.ts";
import { costBudget, outOfBudget } from "../cost/budget.ts";
import type { AuthorizerValue, ResourceCheckValue } from "../library/values/authorizer-value.ts";
import type { Bindings } from "../runtime/frame.ts";
import { unescapeName } from "../schema/escape-name.ts";
import type { CelType } from "../type/cel-type.ts";
import { CelFault } from "../value/cel-fault.ts";
import { CelObject } from "../value/cel-object.ts";
import type { CelResult, CelValue } from "../value/cel-value.ts";
import { variablesType } from "./admission-types.ts";
import type { PolicyCompiler, PolicyExpression } from "./policy-compiler.ts";

/** The variables of a policy's expressions: JSON in wire form, null for absent objects. */
export interface PolicyBindings {
  readonly object: unknown;
  readonly oldObject: unknown;
  /** An AdmissionRequest without uid and objects. */
  readonly request: unknown;
  readonly namespaceObject: unknown;
  readonly params?: unknown;
  readonly authorizer?: AuthorizerValue;
  readonly requestResource?: ResourceCheckValue;
}

/** An expression's value, or its error. */
export type PolicyOutcome = { readonly value: CelValue } | { readonly error: string };

/** The expressions of a policy have exceeded their cost budget; no more may be evaluated. */
export class OutOfBudgetError extends Error {
  override readonly name = "OutOfBudgetError";

  constructor() {
    super(outOfBudget);
  }
}

/**
 * Evaluates expressions of a policy for one request. Its variables are evaluated on first use.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/admission/plugin/cel/activation.go, composition.go.
 */
export class PolicyRun {
  readonly #bindings: Bindings;
  readonly #variables: LazyVariables;
  #budget: number;

  constructor(compiler: PolicyCompiler, bindings: PolicyBindings, budget: number = costBudget) {
    const { params = null, authorizer, requestResource, ...rest } = bindings;
    this.#variables = new LazyVariables(compiler.variables, () => this.#bindings);
    this.#bindings = {
      ...rest,
      params,
      variables: this.#variables,
      ...(authorizer !== undefined && { authorizer }),
      ...(requestResource !== undefined && { "authorizer.requestResource": requestResource }),
    };
    this.#budget = budget;
  }

  /** The cost budget that is left for other expressions of the request. */
  get remainingBudget(): number {
    return this.#budget;
  }

  /** Throws OutOfBudgetError. */
  evaluate({ expression, program, error }: PolicyExpression): PolicyOutcome {
    if (program === undefined) return { error: `compilation error: ${error}` };
    const { value, cost } = program.evaluate(this.#bindings);
    this.#spend(this.#variables.takeCost());
    this.#spend(cost);
    if (!(value instanceof CelFault)) return { value };
    return { error: `expression '${expression}' resulted in error: ${value.message}` };
  }

  #spend(cost: number): void {
    if (cost > this.#budget) throw new OutOfBudgetError();
    this.#budget -= cost;
  }
}

/** The variables of a policy; each is evaluated once, on first use. */
class LazyVariables extends CelObject {
  override readonly type: CelType = variablesType;
  readonly #expressions: ReadonlyMap<string, PolicyExpression>;
  readonly #bindings: () => Bindings;
  readonly #values = new Map<string, CelResult>();
  #cost = 0;

  constructor(expressions: ReadonlyMap<string, PolicyExpression>, bindings: () => Bindings) {
    super();
    this.#expressions = expressions;
    this.#bindings = bindings;
  }

  override equals(other: CelValue): boolean {
    return this === other;
  }

  override hasField(identifier: string): boolean | CelFault {
    const value = this.#find(identifier);
    return value instanceof CelFault ? value : value !== undefined;
  }

  override getField(identifier: string): CelResult {
    const value = this.#find(identifier);
    return value === undefined ? new CelFault(`no such key: ${identifier}`) : value;
  }

  /** The cost of evaluating variables since the last call. */
  takeCost(): number {
    const cost = this.#cost;
    this.#cost = 0;
    return cost;
  }

  #find(identifier: string): CelResult | undefined {
    const name = unescapeName(identifier);
    const expression = name === undefined ? undefined : this.#expressions.get(name);
    if (name === undefined || expression === undefined) return undefined;
    const known = this.#values.get(name);
    if (known !== undefined) return known;
    // Read only by a variable that refers to itself.
    this.#values.set(name, new CelFault(`composited variable ${goQuote(name)} refers to itself`));
    const value = this.#evaluate(name, expression);
    this.#values.set(name, value);
    return value;
  }

  #evaluate(name: string, { program, error }: PolicyExpression): CelResult {
    const which = `composited variable ${goQuote(name)}`;
    if (program === undefined) return new CelFault(`${which} fails to compile: ${error}`);
    const { value, cost } = program.evaluate(this.#bindings());
    this.#cost += cost;
    if (!(value instanceof CelFault)) return value;
    return new CelFault(`${which} fails to evaluate: ${value.message}`);
  }
}
