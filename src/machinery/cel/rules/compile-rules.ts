import { CompileError, type Environment } from "../environment.ts";
import { kubernetesEnvironment } from "../kubernetes/kubernetes-environment.ts";
import type { Program } from "../program.ts";
import { PlanError } from "../runtime/planned.ts";
import { type DeclType, maxRequestBytes } from "../schema/decl-type.ts";
import { declSizeEstimator, declTypeProvider } from "../schema/decl-type-provider.ts";
import type { JsonSchema, ValidationRule } from "../schema/json-schema.ts";
import { boolType, type CelType, optionalOf, stringType } from "../type/cel-type.ts";
import { FieldPathError, parseFieldPath } from "./field-path.ts";

/**
 * The type name of a schema's objects in messages. Upstream's has random digits, so that no
 * expression can refer to it.
 */
export const selfTypeName = "selfType";

/** A compiled rule of x-kubernetes-validations. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  /** Undefined if the rule is empty or invalid. */
  readonly program?: Program;
  /** The error of the rule. */
  readonly error?: string;
  readonly usesOldSelf: boolean;
  /** The maximum cost of one evaluation. */
  readonly maxCost: bigint;
  readonly message?: Program;
  /** The error of its messageExpression. */
  readonly messageError?: string;
  readonly messageMaxCost: bigint;
  /** Its fieldPath, if valid. */
  readonly fieldPath?: string;
}

export interface CompileOptions {
  /**
   * The version that must support an expression, as for kubernetesEnvironment(); undefined, the
   * default, for stored ones.
   */
  readonly compatibility?: (expression: string) => number | undefined;
}

/**
 * Compiles the rules of one schema, without those of nested schemas, one after the other. `decl` is
 * the type of its values.
 *
 * Upstream: staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/compilation.go.
 */
export function* compileRules(
  schema: JsonSchema,
  decl: DeclType,
  { compatibility = () => undefined }: CompileOptions = {},
): Generator<CompiledRule, void> {
  const types = declTypeProvider(decl);
  const estimator = declSizeEstimator(decl);
  const environmentFor = (rule: ValidationRule, expression: string): Environment => {
    const version = compatibility(expression);
    const oldSelf = rule.optionalOldSelf ? optionalOf(decl.type) : decl.type;
    const variables = { self: decl.type, oldSelf };
    return kubernetesEnvironment({
      variables,
      types,
      ...(version !== undefined && { compatibility: version }),
    });
  };
  const maxCost = (program: Program): bigint => program.estimateCost(estimator).max;
  const compileOne = (rule: ValidationRule): CompiledRule => {
    const nothing = { rule, usesOldSelf: false, maxCost: 0n, messageMaxCost: 0n };
    if (rule.rule.trim() === "") return nothing;
    const program = compileAs(environmentFor(rule, rule.rule), rule.rule, boolType, ruleTexts);
    if (typeof program === "string") return { ...nothing, error: program };
    const compiled = {
      ...nothing,
      program,
      usesOldSelf: program.usesVariable("oldSelf"),
      maxCost: maxCost(program),
    };
    const { messageExpression = "" } = rule;
    const fieldPath = findFieldPath(rule, schema);
    const withPath = fieldPath === undefined ? compiled : { ...compiled, fieldPath };
    if (messageExpression === "") return withPath;
    const environment = environmentFor(rule, messageExpression);
    const message = compileAs(environment, messageExpression, stringType, messageTexts);
    if (typeof message === "string") return { ...compiled, messageError: message };
    return { ...withPath, message, messageMaxCost: maxCost(message) };
  };
  for (const rule of schema["x-kubernetes-validations"] ?? []) yield compileOne(rule);
}

interface Texts {
  readonly compile: string;
  readonly type: string;
  readonly plan: string;
}

const ruleTexts: Texts = {
  compile: "compilation failed: ",
  type: "cel expression must evaluate to a bool",
  plan: "program instantiation failed: ",
};

const messageTexts: Texts = {
  compile: "messageExpression compilation failed: ",
  type: "messageExpression must evaluate to a string",
  plan: "messageExpression instantiation failed: ",
};

/** A program of a type, or the error of the expression. */
function compileAs(
  environment: Environment,
  expression: string,
  type: CelType,
  texts: Texts,
): Program | string {
  try {
    const program = environment.compile(expression);
    return program.outputType === type ? program : texts.type;
  } catch (error) {
    if (error instanceof CompileError) return texts.compile + error.message;
    if (error instanceof PlanError) return texts.plan + error.message;
    throw error;
  }
}

function findFieldPath({ fieldPath = "" }: ValidationRule, schema: JsonSchema): string | undefined {
  if (fieldPath === "") return undefined;
  try {
    return parseFieldPath(fieldPath, schema);
  } catch (error) {
    if (error instanceof FieldPathError) return undefined;
    throw error;
  }
}

/** The number of values with a minimum JSON size that fit into one request. */
export function maxCardinality(minSerializedSize: number): bigint {
  return BigInt(Math.trunc(maxRequestBytes / (minSerializedSize + 1)));
}
