import { nameIsDNSLabel, nameIsDNSSubdomain } from "../../meta/names.ts";
import { actualSize } from "../cost/actual-size.ts";
import type { Library } from "../environment.ts";
import { costs } from "../model/call-cost.ts";
import {
  type FunctionDecl,
  type Implementation,
  member,
  type Overload,
} from "../model/declaration.ts";
import { addRanges, exactly, type Range, scaleRange } from "../model/range.ts";
import { boolType, type CelType, stringType } from "../type/cel-type.ts";
import { CelFault, noSuchOverload } from "../value/cel-fault.ts";
import type { CelResult, CelValue } from "../value/cel-value.ts";
import { fixedCosts } from "./costs/text-costs.ts";
import {
  AuthorizerValue,
  authorizerType,
  DecisionValue,
  decisionType,
  GroupCheckValue,
  groupCheckType,
  PathCheckValue,
  pathCheckType,
  ResourceCheckValue,
  resourceCheckType,
} from "./values/authorizer-value.ts";

/** Cost of a permission check: allows two per expression. */
const checkCost = 350_000;

/** Requirements of a selector per character of its text: short ones such as `k,`. */
const requirementsPerCharacter = 0.5;
const perRequirement = costs.list + costs.struct;

function selectorCost(size: Range): Range {
  const requirements = scaleRange(scaleRange(size, requirementsPerCharacter), perRequirement);
  return addRanges(exactly(costs.list), scaleRange(size, costs.perCharacter), requirements);
}

/**
 * Permission checks.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/cel/library/authz.go.
 */
export const authorizers: Library = {
  functions: [
    builder("path", "authorizer_path", authorizerType, pathCheckType, (authorizer, path) => {
      if (!(authorizer instanceof AuthorizerValue)) return noSuchOverload;
      if (path.trim() === "") return new CelFault("path must not be empty");
      return new PathCheckValue(authorizer, path);
    }),
    builder("group", "authorizer_group", authorizerType, groupCheckType, (authorizer, group) => {
      if (!(authorizer instanceof AuthorizerValue)) return noSuchOverload;
      return new GroupCheckValue(authorizer, group);
    }),
    cheap(
      "serviceAccount",
      member(
        "authorizer_serviceaccount",
        [authorizerType, stringType, stringType],
        authorizerType,
        forServiceAccount,
      ),
    ),
    builder("resource", "groupcheck_resource", groupCheckType, resourceCheckType, (check, name) => {
      if (!(check instanceof GroupCheckValue)) return noSuchOverload;
      if (name.trim() === "") return new CelFault("resource must not be empty");
      return new ResourceCheckValue(check.authorizer, { group: check.group, resource: name });
    }),
    refine("subresource", "resourcecheck_subresource", "subresource"),
    refine("namespace", "resourcecheck_namespace", "namespace"),
    refine("name", "resourcecheck_name", "name"),
    {
      name: "check",
      overloads: [
        member("pathcheck_check", [pathCheckType, stringType], decisionType, check),
        member("resourcecheck_check", [resourceCheckType, stringType], decisionType, check),
      ],
      ...fixedCosts(checkCost),
    },
    decision("errored", boolType, ({ error }) => error !== undefined),
    decision("error", stringType, ({ error }) => error ?? ""),
    decision("allowed", boolType, ({ allowed }) => allowed),
    decision("reason", stringType, ({ reason }) => reason),
    selector("fieldSelector", "authorizer_fieldselector"),
    selector("labelSelector", "authorizer_labelselector"),
  ],
};

function cheap(name: string, signature: Overload): FunctionDecl {
  return { name, overloads: [signature], ...fixedCosts(1) };
}

function builder(
  name: string,
  id: string,
  from: CelType,
  to: CelType,
  build: (from: CelValue, text: string) => CelResult,
): FunctionDecl {
  const call = (receiver: CelValue = null, text?: CelValue) =>
    typeof text === "string" ? build(receiver, text) : noSuchOverload;
  return cheap(name, member(id, [from, stringType], to, call as Implementation));
}

type Refinement = "subresource" | "namespace" | "name" | "fieldSelector" | "labelSelector";

function refine(name: string, id: string, field: Refinement): FunctionDecl {
  return builder(name, id, resourceCheckType, resourceCheckType, (check, text) => {
    if (!(check instanceof ResourceCheckValue)) return noSuchOverload;
    return new ResourceCheckValue(check.authorizer, { ...check.permission, [field]: text });
  });
}

function selector(name: "fieldSelector" | "labelSelector", id: string): FunctionDecl {
  return {
    ...refine(name, id, name),
    cost: ([, text]) => {
      const size = BigInt(actualSize(text));
      return Number(selectorCost({ min: size, max: size }).max);
    },
    estimate: ({ args: [text], sizeOf }) => text && { cost: selectorCost(sizeOf(text)) },
  };
}

function decision(
  name: string,
  type: CelType,
  get: (decision: DecisionValue) => CelValue,
): FunctionDecl {
  const call = (value?: CelValue) => (value instanceof DecisionValue ? get(value) : noSuchOverload);
  return cheap(name, member(`decision_${name}`, [decisionType], type, call));
}

function forServiceAccount(
  authorizer?: CelValue,
  namespace?: CelValue,
  name?: CelValue,
): CelResult {
  if (!(authorizer instanceof AuthorizerValue)) return noSuchOverload;
  if (typeof namespace !== "string" || typeof name !== "string") return noSuchOverload;
  if (nameIsDNSSubdomain(name, false).length > 0)
    return new CelFault("Invalid service account name");
  if (nameIsDNSLabel(namespace, false).length > 0) {
    return new CelFault("Invalid service account namespace");
  }
  return authorizer.forServiceAccount(namespace, name);
}

function check(permission?: CelValue, verb?: CelValue): CelResult {
  if (typeof verb !== "string") return noSuchOverload;
  if (permission instanceof PathCheckValue || permission instanceof ResourceCheckValue)
    return permission.check(verb);
  return noSuchOverload;
}
