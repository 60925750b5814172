import type { CelValue } from "../value/cel-value.ts";
import type { Attribute } from "./attribute.ts";
import type { Step } from "./frame.ts";

/** A compiled part of an expression, with facts for its parent. */
export interface Planned {
  readonly step: Step;
  /** The value, if it is constant. */
  readonly constant?: { readonly value: CelValue };
  /** The source of the value, if it is read from an attribute. */
  readonly attribute?: Attribute;
}

/** A constant part of an expression has no value. */
export class PlanError extends Error {
  override readonly name = "PlanError";
}
