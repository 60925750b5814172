import type { CelValue } from "../value/cel-value.ts";
import type { Attribute } from "./attribute.ts";
import type { Step } from "./frame.ts";

/** A compiled part of an expression, and what its surroundings may make use of. */
export interface Planned {
  readonly step: Step;
  /** The value, if it is always the same. */
  readonly constant?: { readonly value: CelValue };
  /** The place it is read from, if it is read from one. */
  readonly attribute?: Attribute;
}

/** A constant part of an expression has no value. */
export class PlanError extends Error {
  override readonly name = "PlanError";
}
