import { innerSize, patternCost, textCost } from "../cost/actual-size.ts";
import type { ActualCost } from "../model/call-cost.ts";
import { type FunctionDecl, member, overload } from "../model/declaration.ts";
import { withRegex } from "../runtime/pattern.ts";
import { boolType, stringType } from "../type/cel-type.ts";
import { notSupported } from "../value/arithmetic.ts";
import { noSuchOverload } from "../value/cel-fault.ts";
import type { CelResult, CelValue } from "../value/cel-value.ts";

const partCost: ActualCost = ([, part]) => textCost(innerSize(part));
const containsCost: ActualCost = ([text, part]) =>
  textCost(innerSize(text)) * textCost(innerSize(part));
const matchCost: ActualCost = ([text, pattern]) => patternCost(innerSize(text), innerSize(pattern));

/** Tests of strings. */
export const stringFunctions: readonly FunctionDecl[] = [
  test("contains", "contains_string", (text, part) => text.includes(part), containsCost),
  test("endsWith", "ends_with_string", (text, part) => text.endsWith(part), partCost),
  test("startsWith", "starts_with_string", (text, part) => text.startsWith(part), partCost),
  {
    name: "matches",
    overloads: [
      { ...overload("matches", [stringType, stringType], boolType), cost: matchCost },
      { ...member("matches_string", [stringType, stringType], boolType), cost: matchCost },
    ],
    singleton: matches,
    heavy: true,
  },
];

function test(
  name: string,
  id: string,
  holds: (text: string, part: string) => boolean,
  cost: ActualCost,
): FunctionDecl {
  const call = (text: CelValue = null, part: CelValue = null): CelResult => {
    if (typeof text !== "string" || typeof part !== "string") return noSuchOverload;
    return holds(text, part);
  };
  const signature = member(id, [stringType, stringType], boolType, call);
  return { name, overloads: [{ ...signature, cost }], unguarded: true };
}

function matches(text: CelValue = null, pattern: CelValue = null): CelResult {
  if (typeof text !== "string") return notSupported("matches", text);
  if (typeof pattern !== "string") return noSuchOverload;
  return withRegex(pattern, "", (regex) => regex.matcher(text).find());
}
