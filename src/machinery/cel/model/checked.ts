import type { CelType } from "../type/cel-type.ts";
import type { Literal } from "../value/literal.ts";
import type { FunctionDecl, Overload } from "./declaration.ts";

/** An expression with resolved names and known types. */
export type Checked =
  | CheckedConstant
  | CheckedVariable
  | CheckedSelect
  | CheckedCall
  | CheckedList
  | CheckedMap
  | CheckedStruct
  | CheckedFold;

interface Node {
  readonly offset: number;
  /** Final when the whole expression is checked. */
  type: CelType;
}

/** A literal, or the name of a type. */
interface CheckedConstant extends Node {
  readonly kind: "constant";
  readonly value: Literal | CelType;
}

interface CheckedVariable extends Node {
  readonly kind: "variable";
  readonly name: string;
  /** Whether it is a variable of a comprehension. */
  readonly local: boolean;
}

export interface CheckedSelect extends Node {
  readonly kind: "select";
  readonly operand: Checked;
  readonly field: string;
  readonly testOnly: boolean;
}

export interface CheckedCall extends Node {
  readonly kind: "call";
  readonly decl: FunctionDecl;
  readonly target?: Checked;
  readonly args: readonly Checked[];
  /** The overloads that the argument types allow. */
  readonly overloads: readonly Overload[];
}

interface CheckedList extends Node {
  readonly kind: "list";
  readonly elements: readonly { readonly value: Checked; readonly optional: boolean }[];
}

export interface CheckedMap extends Node {
  readonly kind: "map";
  readonly entries: readonly CheckedEntry[];
}

export interface CheckedEntry {
  readonly key: Checked;
  readonly value: Checked;
  readonly optional: boolean;
}

export interface CheckedStruct extends Node {
  readonly kind: "struct";
  readonly typeName: string;
  readonly fields: readonly CheckedField[];
}

export interface CheckedField {
  readonly name: string;
  readonly value: Checked;
  readonly optional: boolean;
}

export interface CheckedFold extends Node {
  readonly kind: "fold";
  readonly range: Checked;
  readonly variable: string;
  readonly variable2?: string;
  readonly accumulator: string;
  readonly init: Checked;
  readonly condition: Checked;
  readonly step: Checked;
  readonly result: Checked;
}

/** The direct children of an expression, in the order of the text. */
export function children(expr: Checked): readonly Checked[] {
  switch (expr.kind) {
    case "constant":
    case "variable":
      return [];
    case "select":
      return [expr.operand];
    case "call":
      return expr.target === undefined ? expr.args : [expr.target, ...expr.args];
    case "list":
      return expr.elements.map(({ value }) => value);
    case "map":
      return expr.entries.flatMap(({ key, value }) => [key, value]);
    case "struct":
      return expr.fields.map(({ value }) => value);
    case "fold":
      return [expr.range, expr.init, expr.condition, expr.step, expr.result];
  }
}
