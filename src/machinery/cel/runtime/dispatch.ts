import type { FunctionDecl, Implementation, Overload } from "../model/declaration.ts";
import { type CelType, parameterOf } from "../type/cel-type.ts";
import { CelFault } from "../value/cel-fault.ts";
import { CelList } from "../value/cel-list.ts";
import { CelMap } from "../value/cel-map.ts";
import { type CelValue, typeOf } from "../value/cel-value.ts";

/** How a call is executed. */
interface Dispatch {
  readonly call: Implementation;
  /** Whether a fault among its arguments stops the call before the others are computed. */
  readonly eager: boolean;
}

/**
 * The implementation of a call: that of the only matching signature, or one that selects by the
 * types of the values. Both check the types, as data may differ from them.
 *
 * Upstream: vendor/github.com/google/cel-go/common/decls/decls.go.
 */
export function dispatch(
  decl: FunctionDecl,
  overloads: readonly Overload[],
  argCount: number,
): Dispatch {
  const eager = argCount === 0 || argCount > 2;
  if (decl.singleton !== undefined) return { call: decl.singleton, eager };
  const [only] = overloads;
  if (overloads.length === 1 && only?.call !== undefined) {
    const call = decl.unguarded ? only.call : guarded(decl.name, only, only.call);
    return { call, eager: eager || only.variadic === true };
  }
  return { call: dynamic(decl), eager: true };
}

function guarded(name: string, overload: Overload, call: Implementation): Implementation {
  const guards = overload.args.map(guardOf);
  const [first, second] = guards;
  if (guards.length === 1 && first !== undefined) {
    return (a: CelValue = null) => (first(a) ? call(a) : noOverload(name, [a]));
  }
  if (guards.length === 2 && first !== undefined && second !== undefined) {
    return (a: CelValue = null, b: CelValue = null) => {
      return first(a) && second(b) ? call(a, b) : noOverload(name, [a, b]);
    };
  }
  return (...args) => {
    for (let i = 0; i < guards.length; i++) {
      if (!guards[i]?.(args[i] as CelValue)) return noOverload(name, args);
    }
    return call(...args);
  };
}

function dynamic(decl: FunctionDecl): Implementation {
  const candidates = decl.overloads.flatMap((overload) =>
    overload.call === undefined
      ? []
      : [{ call: overload.call, guards: overload.args.map(guardOf) }],
  );
  return (...args) => {
    for (const { call, guards } of candidates) {
      const fits =
        guards.length === args.length && guards.every((guard, i) => guard(args[i] as CelValue));
      if (fits) return call(...args);
    }
    return noOverload(decl.name, args);
  };
}

function noOverload(name: string, args: readonly CelValue[]): CelFault {
  const types = args.map((arg) => typeOf(arg).name).join(", ");
  return new CelFault(`no such overload: ${name}(${types})`);
}

type Guard = (value: CelValue) => boolean;

/** Whether a value has a type; for a list or map only its first element is checked. */
function guardOf(type: CelType): Guard {
  switch (type.kind) {
    case "dyn":
    case "any":
    case "param":
      return () => true;
    case "string":
    case "double":
    case "int":
    case "bool": {
      const name = { string: "string", double: "number", int: "bigint", bool: "boolean" }[
        type.kind
      ];
      return (value) => typeof value === name;
    }
    case "list": {
      const element = guardOf(parameterOf(type));
      return (value) =>
        value instanceof CelList && (value.length === 0 || passes(element, value.at(0)));
    }
    case "map":
      return mapGuard(guardOf(parameterOf(type)), guardOf(parameterOf(type, 1)));
    default:
      return (value) => typeOf(value).name === type.name;
  }
}

function mapGuard(key: Guard, element: Guard): Guard {
  return (value) => {
    if (!(value instanceof CelMap)) return false;
    for (const first of value.keys()) return key(first) && passes(element, value.find(first));
    return true;
  };
}

function passes(guard: Guard, value: CelValue | CelFault | undefined): boolean {
  return value !== undefined && !(value instanceof CelFault) && guard(value);
}
