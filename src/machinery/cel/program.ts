import { estimateCost } from "./cost/estimate.ts";
import type { SizeEstimator } from "./model/call-cost.ts";
import { type Checked, children } from "./model/checked.ts";
import type { Range } from "./model/range.ts";
import type { TypeProvider } from "./model/type-provider.ts";
import { type Bindings, Frame } from "./runtime/frame.ts";
import { type Plan, plan } from "./runtime/planner.ts";
import type { CelType } from "./type/cel-type.ts";
import { CelFault, CostLimitExceeded } from "./value/cel-fault.ts";
import type { CelResult } from "./value/cel-value.ts";
import { withEffort } from "./value/effort.ts";
import { withMemory } from "./value/evaluation-memory.ts";

/** Limit of the cost of one evaluation, about a tenth of a second. Upstream: PerCallLimit. */
const perCallLimit = 1_000_000;

/** The result of an evaluation. */
export interface Evaluation {
  /** The value, or a fault if there is none. */
  readonly value: CelResult;
  readonly cost: number;
  /** Whether it was stopped because of its cost. */
  readonly cancelled: boolean;
}

interface EvaluateOptions {
  /** Limit of the cost; default perCallLimit. */
  readonly costLimit?: number;
}

/** A compiled expression, which can be evaluated any number of times. */
export class Program {
  readonly #checked: Checked;
  readonly #plan: Plan;

  /** Throws PlanError. */
  constructor(checked: Checked, provider: TypeProvider) {
    this.#checked = checked;
    this.#plan = plan(checked, provider);
  }

  get outputType(): CelType {
    return this.#checked.type;
  }

  /** Whether the expression refers to a variable of the environment. */
  usesVariable(name: string): boolean {
    return mentions(this.#checked, name);
  }

  /** The minimum and maximum cost of an evaluation. */
  estimateCost(estimateSize?: SizeEstimator): Range {
    return estimateCost(this.#checked, estimateSize);
  }

  /** Evaluates the expression. It never throws because of the expression or its values. */
  evaluate(bindings: Bindings, { costLimit = perCallLimit }: EvaluateOptions = {}): Evaluation {
    const frame = new Frame(bindings, this.#plan.slotCount, costLimit);
    try {
      const value = withMemory(() => withEffort(() => this.#plan.step(frame)));
      return { value, cost: frame.cost, cancelled: false };
    } catch (error) {
      if (error instanceof CostLimitExceeded) {
        return { value: new CelFault(error.message), cost: frame.cost, cancelled: true };
      }
      // Too long a string or too deep a value; all other errors are bugs.
      if (!(error instanceof RangeError)) throw error;
      const value = new CelFault(`internal error: ${error.message}`);
      return { value, cost: frame.cost, cancelled: false };
    }
  }
}

function mentions(expr: Checked, name: string): boolean {
  if (expr.kind === "variable") return !expr.local && expr.name === name;
  return children(expr).some((child) => mentions(child, name));
}
