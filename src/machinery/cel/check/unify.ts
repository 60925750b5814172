import { CelType, dynType, parameterOf } from "../type/cel-type.ts";

/**
 * The bindings of type variables. A failed attempt is rolled back.
 *
 * Upstream: vendor/github.com/google/cel-go/checker/types.go, mapping.go.
 */
export class Substitutions {
  readonly #bound = new Map<string, CelType>();
  /** Names in the order of binding, with their previous binding. */
  readonly #trail: [name: string, before: CelType | undefined][] = [];

  /** Whether a value of one type is assignable to another; binds type variables as needed. */
  isAssignable(left: CelType, right: CelType): boolean {
    return this.areAssignable([left], [right]);
  }

  /** Whether each type is assignable to the type at the same index. */
  areAssignable(left: readonly CelType[], right: readonly CelType[]): boolean {
    const mark = this.#trail.length;
    if (this.#assignList(left, right)) return true;
    this.#rollBack(mark);
    return false;
  }

  /** The type with bound variables replaced; unbound ones become dyn if `unboundToDyn`. */
  apply(type: CelType, unboundToDyn = false): CelType {
    if (type.isConcrete) return type;
    if (type.kind === "param") {
      const bound = this.#bound.get(type.name);
      if (bound !== undefined) return this.apply(bound, unboundToDyn);
      return unboundToDyn ? dynType : type;
    }
    const parameters = type.parameters.map((parameter) => this.apply(parameter, unboundToDyn));
    return new CelType(type.kind, type.name, parameters);
  }

  bind(name: string, type: CelType): void {
    this.#trail.push([name, this.#bound.get(name)]);
    this.#bound.set(name, type);
  }

  #rollBack(mark: number): void {
    while (this.#trail.length > mark) {
      const [name, before] = this.#trail.pop() ?? [""];
      if (before === undefined) this.#bound.delete(name);
      else this.#bound.set(name, before);
    }
  }

  #assignList(left: readonly CelType[], right: readonly CelType[]): boolean {
    if (left.length !== right.length) return false;
    return left.every((type, i) => {
      const other = right[i];
      return other !== undefined && this.#assign(type, other);
    });
  }

  #assign(left: CelType, right: CelType): boolean {
    if (right.kind === "param") {
      const outcome = this.#substitute(left, right);
      if (outcome === "valid") return true;
      if (outcome === "conflict") return false;
    }
    if (left.kind === "param") return this.#substitute(right, left) === "valid";
    if (isWild(left) || isWild(right)) return true;
    if (left.kind === "null" || right.kind === "null") {
      return isNullable(left.kind === "null" ? right : left);
    }
    switch (left.kind) {
      case "type":
        return right.kind === "type";
      case "opaque":
      case "list":
      case "map":
        return (
          left.kind === right.kind &&
          left.name === right.name &&
          this.#assignList(left.parameters, right.parameters)
        );
      default:
        return right.isAssignableFrom(left);
    }
  }

  /**
   * Whether a variable can be bound to a type. "conflict": it is bound to another type; "unknown":
   * the type contains the variable itself.
   */
  #substitute(type: CelType, variable: CelType): "valid" | "conflict" | "unknown" {
    if (type.equals(variable)) return "valid";
    const bound = this.#bound.get(variable.name);
    if (bound === undefined) {
      if (this.#occursIn(variable, type)) return "unknown";
      this.bind(variable.name, type);
      return "valid";
    }
    if (type.equals(bound)) return "valid";
    if (!this.#assign(type, bound)) return "conflict";
    const general = mostGeneral(type, bound);
    if (!this.#occursIn(variable, general)) this.bind(variable.name, general);
    return "valid";
  }

  #occursIn(variable: CelType, type: CelType): boolean {
    if (type.isConcrete) return false;
    if (variable.equals(type)) return true;
    if (type.kind === "param") {
      const bound = this.#bound.get(type.name);
      return bound !== undefined && this.#occursIn(variable, bound);
    }
    return type.parameters.some((parameter) => this.#occursIn(variable, parameter));
  }
}

const isWild = (type: CelType): boolean => type.isDynamic || type.kind === "error";

/** Types that have null as a value. */
function isNullable(type: CelType): boolean {
  return ["null", "opaque", "struct", "any", "duration", "timestamp"].includes(type.kind);
}

/** The more general of two types that can be unified. */
export function mostGeneral(a: CelType, b: CelType): CelType {
  return isEqualOrLessSpecific(a, b) ? a : b;
}

function isEqualOrLessSpecific(a: CelType, b: CelType): boolean {
  if (a.isDynamic || a.kind === "param") return true;
  if (b.isDynamic || b.kind === "param") return false;
  if (a.kind !== b.kind) return false;
  if (a.kind === "type") return true;
  if (a.kind !== "opaque" && a.kind !== "list" && a.kind !== "map") return a.equals(b);
  if (a.name !== b.name || a.parameters.length !== b.parameters.length) return false;
  return a.parameters.every((parameter, i) => isEqualOrLessSpecific(parameter, parameterOf(b, i)));
}
