import type { Checked, CheckedEntry, CheckedField } from "../model/checked.ts";
import type { FunctionDecl, Overload } from "../model/declaration.ts";
import type {
  CallExpr,
  Expr,
  FoldExpr,
  ListExpr,
  MapExpr,
  SelectExpr,
  StructExpr,
} from "../syntax/expr.ts";
import type { Issues } from "../syntax/issues.ts";
import { noOffset } from "../syntax/source.ts";
import {
  boolType,
  type CelType,
  dynType,
  errorType,
  formatType,
  intType,
  isOptionalType,
  listOf,
  mapOf,
  optionalOf,
  parameterOf,
  TypeTooLarge,
  typeParam,
} from "../type/cel-type.ts";
import { expandedSize } from "./expanded-size.ts";
import { literalType } from "./literal-type.ts";
import { resolveOverloads } from "./overload-resolution.ts";
import { type Declarations, qualifiedName, Scope } from "./scope.ts";
import { mostGeneral, Substitutions } from "./unify.ts";

/**
 * Resolves the names of an expression and infers its types. Errors are reported; then the result
 * must not be used.
 *
 * Upstream: vendor/github.com/google/cel-go/checker/checker.go.
 */
export function check(expr: Expr, declarations: Declarations, issues: Issues): Checked {
  const tooLarge = () => {
    issues.report(noOffset, "expression is too large");
    return broken(noOffset);
  };
  if (expandedSize(expr) > maxSize) return tooLarge();
  try {
    return new Checker(declarations, issues).run(expr);
  } catch (error) {
    if (error instanceof TypeTooLarge) return tooLarge();
    throw error;
  }
}

/**
 * Limit of nodes in an expression after macro expansion (count). Upstream has no such limit, and a
 * chain of optMap doubles with each link.
 */
const maxSize = 100_000;

class Checker {
  readonly #declarations: Declarations;
  readonly #issues: Issues;
  readonly #types = new Substitutions();
  readonly #nodes: Checked[] = [];
  #scope: Scope = new Scope();
  #variables = 0;

  constructor(declarations: Declarations, issues: Issues) {
    this.#declarations = declarations;
    this.#issues = issues;
  }

  run(expr: Expr): Checked {
    const checked = this.#check(expr);
    for (const node of this.#nodes) node.type = this.#types.apply(node.type, true);
    return checked;
  }

  #check(expr: Expr): Checked {
    const checked = this.#checkKind(expr);
    this.#nodes.push(checked);
    return checked;
  }

  #checkKind(expr: Expr): Checked {
    switch (expr.kind) {
      case "literal":
        return {
          kind: "constant",
          offset: expr.offset,
          value: expr.value,
          type: literalType(expr.value),
        };
      case "ident":
        return this.#resolve(expr.offset, [expr.name]) ?? this.#undeclared(expr.offset, expr.name);
      case "select":
        return this.#select(expr);
      case "call":
        return expr.name === "_?._" ? this.#optionalSelect(expr) : this.#call(expr);
      case "list":
        return this.#list(expr);
      case "map":
        return this.#map(expr);
      case "struct":
        return this.#struct(expr);
      case "fold":
        return this.#fold(expr);
      case "broken":
        return broken(expr.offset);
    }
  }

  /** Resolves a name with dots as a whole: a variable or a type. */
  #resolve(offset: number, names: readonly string[]): Checked | undefined {
    const [first = ""] = names;
    const local = this.#scope.find(first);
    if (local !== undefined && names.length === 1) {
      return { kind: "variable", offset, name: first, local: true, type: local };
    }
    if (local !== undefined) return undefined;
    const name = names.join(".").replace(/^\./, "");
    const type = this.#declarations.variables.get(name);
    if (type !== undefined) return { kind: "variable", offset, name, local: false, type };
    const named = this.#declarations.findType(name);
    if (named === undefined) return undefined;
    return { kind: "constant", offset, value: named.value, type: named.type };
  }

  #select(expr: SelectExpr): Checked {
    const names = expr.testOnly ? undefined : qualifiedName(expr);
    const resolved = names && this.#resolve(expr.offset, names);
    if (resolved !== undefined) return resolved;
    const operand = this.#check(expr.operand);
    const field = this.#fieldType(expr.offset, operand, expr.field, false);
    const type = expr.testOnly ? boolType : this.#types.apply(field);
    return { ...expr, operand, type };
  }

  #optionalSelect(expr: CallExpr): Checked {
    const [target, name] = expr.args;
    if (target === undefined || name?.kind !== "literal" || typeof name.value !== "string") {
      return this.#wrong(expr.offset, "unsupported optional field selection");
    }
    const operand = this.#check(target);
    const type = this.#types.apply(this.#fieldType(expr.offset, operand, name.value, true));
    const decl = this.#declarations.functions.get(expr.name);
    if (decl === undefined) return this.#undeclared(expr.offset, expr.name);
    const args = [operand, this.#check(name)];
    return { kind: "call", offset: expr.offset, decl, args, overloads: decl.overloads, type };
  }

  #fieldType(offset: number, operand: Checked, field: string, optional: boolean): CelType {
    const operandType = this.#types.apply(operand.type);
    const wasOptional = isOptionalType(operandType);
    const target = wasOptional ? parameterOf(operandType) : operandType;
    const type = this.#plainFieldType(offset, target, field);
    return wasOptional || optional ? optionalOf(type) : type;
  }

  #plainFieldType(offset: number, target: CelType, field: string): CelType {
    if (target.kind === "map") return parameterOf(target, 1);
    if (target.kind === "struct") return this.#lookupField(offset, target.name, field) ?? errorType;
    if (target.kind === "param") {
      this.#types.isAssignable(dynType, target);
    } else if (!target.isDynamic && target.kind !== "error") {
      this.#report(offset, `type '${formatType(target)}' does not support field selection`);
    }
    return dynType;
  }

  #lookupField(offset: number, typeName: string, field: string): CelType | undefined {
    const { provider } = this.#declarations;
    if (provider.findType(typeName) === undefined) {
      this.#report(offset, `unexpected failed resolution of '${typeName}'`);
      return undefined;
    }
    const type = provider.findField(typeName, field);
    if (type === undefined) this.#report(offset, `undefined field '${field}'`);
    return type;
  }

  #call(expr: CallExpr): Checked {
    const args = expr.args.map((arg) => this.#check(arg));
    const { functions } = this.#declarations;
    if (expr.target === undefined) {
      const decl = functions.get(expr.name.replace(/^\./, ""));
      if (decl === undefined) return this.#undeclared(expr.offset, expr.name);
      return this.#resolvedCall(expr.offset, decl, args);
    }
    const prefix = qualifiedName(expr.target);
    const qualified = prefix && functions.get([...prefix, expr.name].join(".").replace(/^\./, ""));
    if (qualified !== undefined) return this.#resolvedCall(expr.offset, qualified, args);
    const target = this.#check(expr.target);
    const decl = functions.get(expr.name);
    if (decl === undefined) return this.#undeclared(expr.offset, expr.name);
    return this.#resolvedCall(expr.offset, decl, args, target);
  }

  #resolvedCall(
    offset: number,
    decl: FunctionDecl,
    args: readonly Checked[],
    target?: Checked,
  ): Checked {
    if (decl.name === "_&&_" || decl.name === "_||_") return this.#logicalCall(offset, decl, args);
    const operands = target === undefined ? args : [target, ...args];
    const types = operands.map(({ type }) => type);
    const resolution = resolveOverloads(decl, types, target !== undefined, this.#types, () =>
      this.#variable(),
    );
    if (resolution !== undefined) return callNode(offset, decl, args, target, resolution);
    const shown = types.map((type) => formatType(this.#types.apply(type, true)));
    const receiver = target === undefined ? "" : `${shown.shift()}.`;
    const signature = `${receiver}(${shown.join(", ")})`;
    return this.#wrong(
      offset,
      `found no matching overload for '${decl.name}' applied to '${signature}'`,
    );
  }

  #logicalCall(offset: number, decl: FunctionDecl, args: readonly Checked[]): Checked {
    let valid = true;
    for (const arg of args) if (!this.#expect(arg, boolType, "operand")) valid = false;
    if (!valid) return broken(offset);
    return callNode(offset, decl, args, undefined, { overloads: decl.overloads, type: boolType });
  }

  /**
   * Reports an expression of a wrong type. As upstream, an operand is compared in the other
   * direction.
   */
  #expect(expr: Checked, type: CelType, as: "operand" | "part"): boolean {
    const [to, from] = as === "operand" ? [expr.type, type] : [type, expr.type];
    if (this.#types.isAssignable(to, from)) return true;
    this.#mismatch(expr.offset, type, expr.type);
    return false;
  }

  #list({ offset, elements }: ListExpr): Checked {
    let common: CelType | undefined;
    const checked = elements.map(({ value, optional }) => {
      const element = this.#check(value);
      common = this.#join(common, this.#contained(element, optional));
      return { value: element, optional };
    });
    return { kind: "list", offset, elements: checked, type: listOf(common ?? this.#variable()) };
  }

  #map({ offset, entries }: MapExpr): Checked {
    let keys: CelType | undefined;
    let values: CelType | undefined;
    const checked = entries.map((entry): CheckedEntry => {
      const key = this.#check(entry.key);
      keys = this.#join(keys, key.type);
      const value = this.#check(entry.value);
      values = this.#join(values, this.#contained(value, entry.optional));
      return { key, value, optional: entry.optional };
    });
    const type = mapOf(keys ?? this.#variable(), values ?? this.#variable());
    return { kind: "map", offset, entries: checked, type };
  }

  /** The type of an element, entry or field; for an optional one, the type inside the optional. */
  #contained(value: Checked, optional: boolean): CelType {
    if (!optional) return value.type;
    if (isOptionalType(value.type)) return parameterOf(value.type);
    if (!value.type.isDynamic) this.#mismatch(value.offset, optionalOf(value.type), value.type);
    return value.type;
  }

  /** The common type of the parts of a literal so far; dyn if they differ. */
  #join(previous: CelType | undefined, current: CelType): CelType {
    if (previous === undefined) return current;
    return this.#types.isAssignable(previous, current) ? mostGeneral(previous, current) : dynType;
  }

  #struct(expr: StructExpr): Checked {
    const name = expr.typeName.replace(/^\./, "");
    const named = this.#declarations.findType(name);
    if (named === undefined) return this.#undeclared(expr.offset, expr.typeName);
    const result = parameterOf(named.type);
    const isStruct = result.kind === "struct";
    if (!isStruct) this.#report(expr.offset, `'${result.name}' is not a message type`);
    const fields = expr.fields.map((field): CheckedField => {
      const value = this.#check(field.value);
      const declared = this.#lookupField(field.offset, result.name, field.name) ?? errorType;
      const given = this.#contained(value, field.optional);
      if (!this.#types.isAssignable(declared, given)) {
        const types = `'${formatType(declared)}' but provided type is '${formatType(given)}'`;
        this.#report(field.offset, `expected type of field '${field.name}' is ${types}`);
      }
      return { name: field.name, value, optional: field.optional };
    });
    const type = isStruct ? result : errorType;
    return { kind: "struct", offset: expr.offset, typeName: result.name, fields, type };
  }

  #fold(expr: FoldExpr): Checked {
    const range = this.#check(expr.range);
    const init = this.#check(expr.init);
    const outer = this.#scope;
    const accumulated = outer.with(expr.accumulator, init.type);
    this.#scope = this.#iterationScope(expr, range, accumulated);
    const condition = this.#check(expr.condition);
    this.#expect(condition, boolType, "part");
    const step = this.#check(expr.step);
    this.#expect(step, init.type, "part");
    this.#scope = accumulated;
    const result = this.#check(expr.result);
    this.#scope = outer;
    const type = this.#types.apply(result.type);
    return { ...expr, range, init, condition, step, result, type };
  }

  #iterationScope(expr: FoldExpr, range: Checked, scope: Scope): Scope {
    const [first, second] = this.#iterationTypes(range, expr.variable2 !== undefined);
    const inner = scope.with(expr.variable, first);
    return expr.variable2 === undefined ? inner : inner.with(expr.variable2, second);
  }

  #iterationTypes(range: Checked, two: boolean): readonly [CelType, CelType] {
    const type = this.#types.apply(range.type);
    switch (type.kind) {
      case "list":
        return two ? [intType, parameterOf(type)] : [parameterOf(type), dynType];
      case "map":
        return [parameterOf(type), parameterOf(type, 1)];
      case "dyn":
      case "error":
      case "param":
        this.#types.isAssignable(dynType, type);
        return [dynType, dynType];
      default: {
        const why = "cannot be range of a comprehension (must be list, map, or dynamic)";
        this.#report(range.offset, `expression of type '${formatType(type)}' ${why}`);
        return [errorType, errorType];
      }
    }
  }

  #variable(): CelType {
    return typeParam(`_var${this.#variables++}`);
  }

  #mismatch(offset: number, expected: CelType, actual: CelType): void {
    this.#report(
      offset,
      `expected type '${formatType(expected)}' but found '${formatType(actual)}'`,
    );
  }

  #undeclared(offset: number, name: string): Checked {
    return this.#wrong(offset, `undeclared reference to '${name}' (in container '')`);
  }

  #wrong(offset: number, message: string): Checked {
    this.#report(offset, message);
    return broken(offset);
  }

  #report(offset: number, message: string): void {
    this.#issues.report(offset, message);
  }
}

function broken(offset: number): Checked {
  return { kind: "constant", offset, value: null, type: errorType };
}

function callNode(
  offset: number,
  decl: FunctionDecl,
  args: readonly Checked[],
  target: Checked | undefined,
  { overloads, type }: { overloads: readonly Overload[]; type: CelType },
): Checked {
  return { kind: "call", offset, decl, args, overloads, type, ...(target && { target }) };
}
