import { CelFault, noSuchOverload } from "../value/cel-fault.ts";
import type { CelResult, CelValue } from "../value/cel-value.ts";
import { none, Optional } from "../value/optional.ts";
import type { Frame, Step } from "./frame.ts";

/** A step of a path: a field or an index. */
export interface Qualifier {
  /** Whether a missing value gives an empty optional. */
  readonly optional: boolean;
  /** The value after the step. */
  apply(frame: Frame, value: CelValue): CelResult;
  /** The value after the step; undefined if there is none. */
  applyIfPresent(frame: Frame, value: CelValue): CelResult | undefined;
}

/**
 * The source of a value: a variable or a computed value, with a path from there. A conditional has
 * a path on each branch.
 *
 * Upstream: vendor/github.com/google/cel-go/interpreter/attributes.go.
 */
export type Attribute =
  | { readonly kind: "path"; readonly root: Step; readonly qualifiers: readonly Qualifier[] }
  | {
      readonly kind: "choice";
      readonly condition: Step;
      readonly truthy: Attribute;
      readonly falsy: Attribute;
    };

/** The attribute with one more step. */
export function qualify(attribute: Attribute, qualifier: Qualifier): Attribute {
  if (attribute.kind === "path") {
    return { ...attribute, qualifiers: [...attribute.qualifiers, qualifier] };
  }
  const { truthy, falsy } = attribute;
  return { ...attribute, truthy: qualify(truthy, qualifier), falsy: qualify(falsy, qualifier) };
}

/** Reads an attribute as an expression of its own: a path is charged, a conditional is not. */
export function readAttribute(attribute: Attribute): Step {
  const resolve = resolveAttribute(attribute);
  if (attribute.kind === "choice") return resolve;
  return (frame) => {
    const value = resolve(frame);
    frame.charge(1);
    return value;
  };
}

/** Reads an attribute as a part of another: only its path is charged. */
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
