import { CelType, dynType, parameterOf } from "../cel-type.ts";

/**
 * What type variables stand for. A failed attempt leaves no trace.
 *
 * Upstream: cel-go/checker/types.go, mapping.go.
 */
export class Substitutions {
  readonly #bound = new Map<string, CelType>();
  /** Names in the order they were bound, with what they stood for before. */
  readonly #trail: [name: string, before: CelType | undefined][] = [];

  /** Whether a value of one type may be used as another, binding type variables as that needs. */
  isAssignable(to: CelType, from: CelType): boolean {
    return this.areAssignable([to], [from]);
  }

  /** Whether each type may be used as the other at its place. */
  areAssignable(to: readonly CelType[], from: readonly CelType[]): boolean {
    const mark = this.#trail.length;
    if (this.#assignList(to, from)) return true;
    this.#rollBack(mark);
    return false;
  }

  /** The type with bound variables replaced; unbound ones become dyn if so asked. */
  apply(type: CelType, unboundToDyn = false): CelType {
    if (type.kind === "param") {
      const bound = this.#bound.get(type.name);
      if (bound !== undefined) return this.apply(bound, unboundToDyn);
      return unboundToDyn ? dynType : type;
    }
    const parameters = type.parameters.map((parameter) => this.apply(parameter, unboundToDyn));
    if (parameters.every((parameter, i) => parameter === type.parameters[i])) return type;
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

  #assignList(to: readonly CelType[], from: readonly CelType[]): boolean {
    if (to.length !== from.length) return false;
    return to.every((type, i) => {
      const other = from[i];
      return other !== undefined && this.#assign(type, other);
    });
  }

  #assign(to: CelType, from: CelType): boolean {
    if (from.kind === "param") {
      const outcome = this.#substitute(to, from);
      if (outcome === "valid") return true;
      if (outcome === "conflict") return false;
    }
    if (to.kind === "param") return this.#substitute(from, to) === "valid";
    if (isWild(to) || isWild(from)) return true;
    if (to.kind === "null" || from.kind === "null") {
      return isNullable(to.kind === "null" ? from : to);
    }
    switch (to.kind) {
      case "type":
        return from.kind === "type";
      case "opaque":
      case "list":
      case "map":
        return (
          to.kind === from.kind &&
          to.name === from.name &&
          this.#assignList(to.parameters, from.parameters)
        );
      default:
        return from.isAssignableFrom(to);
    }
  }

  /**
   * Whether a type may stand for a variable. "conflict": the variable already stands for another; "unknown": the type
   * contains the variable itself.
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
    if (variable.equals(type)) return true;
    if (type.kind === "param") {
      const bound = this.#bound.get(type.name);
      return bound !== undefined && this.#occursIn(variable, bound);
    }
    return type.parameters.some((parameter) => this.#occursIn(variable, parameter));
  }
}

const isWild = (type: CelType): boolean => type.isDynamic || type.kind === "error";

/** Types that null is a value of. */
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
