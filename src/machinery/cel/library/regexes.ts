import { actualSize, patternCost } from "../cost/actual-size.ts";
import { patternEstimate } from "../cost/standard-estimate.ts";
import type { Library } from "../environment.ts";
import type { ActualCost, CostEstimate } from "../model/call-cost.ts";
import { member } from "../model/declaration.ts";
import { findAll, findFirst, withRegex } from "../runtime/pattern.ts";
import { intType, listOf, stringType } from "../type/cel-type.ts";
import { noSuchOverload } from "../value/cel-fault.ts";
import type { CelResult, CelValue } from "../value/cel-value.ts";

const cost: ActualCost = ([text, pattern]) => patternCost(actualSize(text), actualSize(pattern));

const estimate: CostEstimate = ({ target, args: [pattern], sizeOf }) => {
  if (target === undefined || pattern === undefined) return undefined;
  const text = sizeOf(target);
  return { cost: patternEstimate(text, sizeOf(pattern)), resultSize: { min: 0n, max: text.max } };
};

const illegal = "Illegal regex: ";

/**
 * Searches by regular expression.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/cel/library/regex.go.
 */
export const regexes: Library = {
  functions: [
    {
      name: "find",
      overloads: [member("string_find_string", [stringType, stringType], stringType, find)],
      cost,
      estimate,
      heavy: true,
    },
    {
      name: "findAll",
      overloads: [
        member("string_find_all_string", [stringType, stringType], listOf(stringType), findEach),
        member(
          "string_find_all_string_int",
          [stringType, stringType, intType],
          listOf(stringType),
          findEach,
        ),
      ],
      cost,
      estimate,
      heavy: true,
    },
  ],
};

function find(text?: CelValue, pattern?: CelValue): CelResult {
  if (typeof text !== "string" || typeof pattern !== "string") return noSuchOverload;
  return withRegex(pattern, illegal, (regex) => findFirst(regex, text));
}

function findEach(text?: CelValue, pattern?: CelValue, limit: CelValue = -1n): CelResult {
  if (typeof text !== "string" || typeof pattern !== "string" || typeof limit !== "bigint") {
    return noSuchOverload;
  }
  return withRegex(pattern, illegal, (regex) => findAll(regex, text, limit));
}
