import { CelFault, noSuchOverload } from "../value/cel-fault.ts";
import type { CelResult, CelValue } from "../value/cel-value.ts";
import { none, Optional } from "../value/optional.ts";
import type { Frame, Step } from "./frame.ts";

/** A step along a path: a field or an index. */
export interface Qualifier {
  /** Whether a missing value yields an empty optional. */
  readonly optional: boolean;
  /** The value at the step. */
  apply(frame: Frame, value: CelValue): CelResult;
  /** The value at the step; undefined if there is none. */
  applyIfPresent(frame: Frame, value: CelValue): CelResult | undefined;
}

/**
 * A place that a value is read from: a variable or a computed value, and a path from there. A choice between places
 * has its path on either branch.
 *
 * Upstream: cel-go/interpreter/attributes.go.
 */
export type Attribute =
  | { readonly kind: "path"; readonly root: Step; readonly qualifiers: readonly Qualifier[] }
  | {
      readonly kind: "choice";
      readonly condition: Step;
      readonly truthy: Attribute;
      readonly falsy: Attribute;
    };

/** The place one step further. */
export function qualify(attribute: Attribute, qualifier: Qualifier): Attribute {
  if (attribute.kind === "path") {
    return { ...attribute, qualifiers: [...attribute.qualifiers, qualifier] };
  }
  const { truthy, falsy } = attribute;
  return { ...attribute, truthy: qualify(truthy, qualifier), falsy: qualify(falsy, qualifier) };
}

/** Reads a place as an expression of its own, which a path is charged for and a choice is not. */
export function readAttribute(attribute: Attribute): Step {
  const resolve = resolveAttribute(attribute);
  if (attribute.kind === "choice") return resolve;
  return (frame) => {
    const value = resolve(frame);
    frame.charge(1);
    return value;
  };
}

/** Reads a place as a part of another: only its path is charged for. */
export function resolveAttribute(attribute: Attribute): Step {
  return attribute.kind === "path" ? resolvePath(attribute) : resolveChoice(attribute);
}

function resolveChoice({ condition, truthy, falsy }: Attribute & { kind: "choice" }): Step {
  const ifTrue = resolveAttribute(truthy);
  const ifFalse = resolveAttribute(falsy);
  return (frame) => {
    const chosen = condition(frame);
    if (chosen === true) return ifTrue(frame);
    if (chosen === false) return ifFalse(frame);
    return chosen instanceof CelFault ? chosen : noSuchOverload;
  };
}

function resolvePath({ root, qualifiers }: Attribute & { kind: "path" }): Step {
  if (qualifiers.length === 0) return root;
  return (frame) => {
    const value = root(frame);
    if (value instanceof CelFault) return value;
    return value instanceof Optional
      ? followOptional(frame, value, qualifiers)
      : follow(frame, value, qualifiers);
  };
}

function follow(frame: Frame, root: CelValue, qualifiers: readonly Qualifier[]): CelResult {
  let value = root;
  for (let i = 0; i < qualifiers.length; i++) {
    const qualifier = qualifiers[i] as Qualifier;
    if (qualifier.optional) return followOptional(frame, new Optional(value), qualifiers, i);
    const next = qualifier.apply(frame, value);
    if (next instanceof CelFault) return next;
    value = next;
  }
  return value;
}

function followOptional(
  frame: Frame,
  root: Optional,
  qualifiers: readonly Qualifier[],
  start = 0,
): CelResult {
  let value = root.value;
  if (value === undefined) return root;
  for (let i = start; i < qualifiers.length; i++) {
    const next = (qualifiers[i] as Qualifier).applyIfPresent(frame, value);
    if (next === undefined) return none;
    if (next instanceof CelFault) return next;
    value = next;
  }
  return new Optional(value);
}
