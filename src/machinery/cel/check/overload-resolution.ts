import type { FunctionDecl, Overload } from "../model/declaration.ts";
import { type CelType, dynType } from "../type/cel-type.ts";
import { Substitutions } from "./unify.ts";

/** The signatures that match a call, and its result type. */
interface Resolution {
  readonly overloads: readonly Overload[];
  readonly type: CelType;
}

/**
 * The signatures of a function that match the argument types of a call: more than one only if some
 * are dynamic. The result type is dyn if their results differ. Undefined if none matches.
 */
export function resolveOverloads(
  decl: FunctionDecl,
  args: readonly CelType[],
  member: boolean,
  types: Substitutions,
  newVariable: () => CelType,
): Resolution | undefined {
  const overloads: Overload[] = [];
  let common: CelType | undefined;
  for (const overload of decl.overloads) {
    if (overload.member !== member) continue;
    const fresh = instantiate(overload, newVariable);
    if (!types.areAssignable(args, fresh.args)) continue;
    overloads.push(overload);
    const result = types.apply(fresh.result);
    if (common === undefined) common = result;
    else if (!common.isDynamic && !result.equals(common)) common = dynType;
  }
  return common && { overloads, type: common };
}

/** A signature with fresh type variables. */
function instantiate(
  { args, result }: Overload,
  newVariable: () => CelType,
): { args: readonly CelType[]; result: CelType } {
  const names = new Set<string>();
  for (const type of [...args, result]) collectNames(type, names);
  if (names.size === 0) return { args, result };
  const renaming = new Substitutions();
  for (const name of names) renaming.bind(name, newVariable());
  return { args: args.map((type) => renaming.apply(type)), result: renaming.apply(result) };
}

function collectNames(type: CelType, names: Set<string>): void {
  if (type.kind === "param") names.add(type.name);
  for (const parameter of type.parameters) collectNames(parameter, names);
}
