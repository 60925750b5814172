import type { SubjectAccessReviewSpec } from "#/api/authorization/v1.ts";
import { CompileError } from "#/machinery/cel/environment.ts";
import { kubernetesEnvironment } from "#/machinery/cel/kubernetes/kubernetes-environment.ts";
import type { TypeProvider } from "#/machinery/cel/model/type-provider.ts";
import {
  boolType,
  type CelType,
  formatType,
  listOf,
  mapOf,
  objectType,
  stringType,
} from "#/machinery/cel/type/cel-type.ts";
import { CelFault } from "#/machinery/cel/value/cel-fault.ts";
import { lazily } from "#/std/base/lazily.ts";
import { table } from "#/std/base/table.ts";
import { aggregate } from "./aggregate.ts";

/**
 * Expressions that select the requests that an authorization webhook is called for.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/authorization/cel.
 */

const type = (name: string): CelType => objectType(`kubernetes.${name}`);
const requirement = (name: string): Record<string, CelType> => ({
  rawSelector: stringType,
  requirements: listOf(type(name)),
});
const keyed = { key: stringType, operator: stringType, values: listOf(stringType) };
const fields: Readonly<Record<string, Readonly<Record<string, CelType>>>> = table({
  SubjectAccessReviewSpec: {
    resourceAttributes: type("ResourceAttributes"),
    nonResourceAttributes: type("NonResourceAttributes"),
    user: stringType,
    groups: listOf(stringType),
    extra: mapOf(stringType, listOf(stringType)),
    uid: stringType,
  },
  ResourceAttributes: {
    namespace: stringType,
    verb: stringType,
    group: stringType,
    version: stringType,
    resource: stringType,
    subresource: stringType,
    name: stringType,
    fieldSelector: type("FieldSelectorAttributes"),
    labelSelector: type("LabelSelectorAttributes"),
  },
  NonResourceAttributes: { path: stringType, verb: stringType },
  FieldSelectorAttributes: requirement("FieldSelectorRequirement"),
  LabelSelectorAttributes: requirement("LabelSelectorRequirement"),
  FieldSelectorRequirement: keyed,
  LabelSelectorRequirement: keyed,
});
const prefix = "kubernetes.";
const types: TypeProvider = {
  findType: (name) => (shape(name) ? objectType(name) : undefined),
  findField: (name, field) => shape(name)?.[field],
};

function shape(name: string): Readonly<Record<string, CelType>> | undefined {
  return name.startsWith(prefix) ? fields[name.slice(prefix.length)] : undefined;
}

const environment = lazily(() =>
  kubernetesEnvironment({
    variables: { request: type("SubjectAccessReviewSpec") },
    types,
  }),
);

/** Compiles conditions; the result returns whether all hold, and throws if one can't be evaluated. */
export function compileMatchConditions(
  expressions: readonly string[],
): (spec: SubjectAccessReviewSpec) => boolean {
  const programs = expressions.map((expression) => ({ expression, program: compile(expression) }));
  return (spec) => {
    const request = filled(spec);
    const failures: string[] = [];
    for (const { expression, program } of programs) {
      const { value } = program.evaluate({ request });
      if (value === false) return false;
      if (value === true) continue;
      const why = value instanceof CelFault ? value.message : "no bool";
      failures.push(`cel evaluation error: expression '${expression}' resulted in error: ${why}`);
    }
    if (failures.length > 0) throw new Error(aggregate(failures));
    return true;
  };
}

function compile(expression: string) {
  try {
    const program = environment().compile(expression);
    if (program.outputType.name === boolType.name) return program;
    throw new CompileError(`must evaluate to bool but got ${formatType(program.outputType)}`);
  } catch (error) {
    throw new Error(`compilation failed: ${(error as Error).message}`, { cause: error });
  }
}

/** The spec with empty strings for absent fields, as expressions see it. */
function filled(spec: SubjectAccessReviewSpec): Record<string, unknown> {
  const { resourceAttributes, nonResourceAttributes, ...who } = spec;
  const blank = { namespace: "", verb: "", group: "", version: "", resource: "" };
  const resource = { ...blank, subresource: "", name: "", ...resourceAttributes };
  return {
    user: "",
    uid: "",
    groups: [],
    extra: {},
    ...who,
    ...(resourceAttributes ? { resourceAttributes: resource } : {}),
    ...(nonResourceAttributes
      ? { nonResourceAttributes: { path: "", verb: "", ...nonResourceAttributes } }
      : {}),
  };
}
