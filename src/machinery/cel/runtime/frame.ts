import { CostLimitExceeded } from "../value/cel-fault.ts";
import type { CelResult } from "../value/cel-value.ts";

/** The inputs of an expression, by variable name: CEL values, or JSON. */
export type Bindings = Readonly<Record<string, unknown>>;

/** The state of one evaluation: its inputs, its variables, its cost. */
export class Frame {
  readonly bindings: Bindings;
  /** Variables of comprehensions; undefined until they are set. */
  readonly slots: (CelResult | undefined)[];
  cost = 0;
  readonly #limit: number;

  constructor(bindings: Bindings, slotCount: number, limit: number) {
    this.bindings = bindings;
    this.slots = new Array(slotCount);
    this.#limit = limit;
  }

  /** Adds to the cost. Throws CostLimitExceeded. */
  charge(cost: number): void {
    this.cost += cost;
    if (this.cost > this.#limit) throw new CostLimitExceeded();
  }
}

/** A compiled part of an expression. */
export type Step = (frame: Frame) => CelResult;
