import { CompileError } from "#/machinery/cel/environment.ts";
import { kubernetesEnvironment } from "#/machinery/cel/kubernetes/kubernetes-environment.ts";
import {
  authorizerType,
  resourceCheckType,
} from "#/machinery/cel/library/values/authorizer-value.ts";
import { Program } from "#/machinery/cel/program.ts";
import { PlanError } from "#/machinery/cel/runtime/planned.ts";
import { type DeclType, declareSchema } from "#/machinery/cel/schema/decl-type.ts";
import { declSizeEstimator, declTypeProvider } from "#/machinery/cel/schema/decl-type-provider.ts";
import type { JsonSchema } from "#/machinery/cel/schema/json-schema.ts";
import { schemaValue } from "#/machinery/cel/schema/schema-value.ts";
import { type CelType, dynType, formatType } from "#/machinery/cel/type/cel-type.ts";
import { CelFault } from "#/machinery/cel/value/cel-fault.ts";
import { alice } from "./alice.ts";
import { literalText } from "./literal-text.ts";

/** An expression and its variables, as in the recorded files. */
export interface ExpressionCase {
  readonly expr: string;
  /** Compatibility version, such as 1.36; everything is enabled without it. */
  readonly version?: string;
  readonly schema?: JsonSchema;
  readonly self?: unknown;
  readonly oldSelf?: unknown;
  readonly vars?: Readonly<Record<string, unknown>>;
  readonly admission?: boolean;
}

/** The result of an expression, in the format of the recorded files. */
export type ExpressionAnswer = Readonly<Record<string, string>>;

/** Compiles and evaluates an expression as the recorder does. */
export function answerExpression(given: ExpressionCase): ExpressionAnswer {
  const decl = given.schema && declareSchema(given.schema, { typeName: "selfType" });
  const compiled = compile(given, decl);
  if (!(compiled instanceof Program)) return compiled;
  const { min, max } = compiled.estimateCost(decl && declSizeEstimator(decl));
  const type = formatType(compiled.outputType);
  const { value, cost } = compiled.evaluate(bindingsOf(given));
  const outcome =
    value instanceof CelFault ? { error: value.message } : { value: literalText(value) };
  return { type, min: String(min), max: String(max), ...outcome, cost: String(cost) };
}

function compile(given: ExpressionCase, decl: DeclType | undefined): Program | ExpressionAnswer {
  const environment = kubernetesEnvironment({
    variables: variablesOf(given, decl),
    patches: given.admission ?? false,
    ...(given.version !== undefined && { compatibility: Number(given.version.split(".")[1]) }),
    ...(decl !== undefined && { types: declTypeProvider(decl) }),
  });
  try {
    return environment.compile(given.expr);
  } catch (error) {
    if (error instanceof CompileError) return { compileError: error.message };
    if (error instanceof PlanError) return { programError: error.message };
    throw error;
  }
}

function variablesOf(given: ExpressionCase, decl: DeclType | undefined): Record<string, CelType> {
  const names = Object.keys(given.vars ?? {});
  return {
    ...Object.fromEntries(names.map((name) => [name, dynType])),
    ...(decl !== undefined && { self: decl.type, oldSelf: decl.type }),
    ...(given.admission && {
      authorizer: authorizerType,
      "authorizer.requestResource": resourceCheckType,
    }),
  };
}

function bindingsOf(given: ExpressionCase): Record<string, unknown> {
  const { schema, self, oldSelf } = given;
  return {
    ...given.vars,
    ...(schema !== undefined && self !== undefined && { self: schemaValue(self, schema) }),
    ...(schema !== undefined && oldSelf !== undefined && { oldSelf: schemaValue(oldSelf, schema) }),
    ...(given.admission && { authorizer: alice }),
  };
}
