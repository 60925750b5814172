import { CompileError, type Environment } from "../environment.ts";
import { kubernetesEnvironment } from "../kubernetes/kubernetes-environment.ts";
import { authorizerType, resourceCheckType } from "../library/values/authorizer-value.ts";
import { combineProviders, type TypeProvider } from "../model/type-provider.ts";
import type { Program } from "../program.ts";
import { PlanError } from "../runtime/planned.ts";
import type { DeclType } from "../schema/decl-type.ts";
import { declTypeProvider } from "../schema/decl-type-provider.ts";
import { anyType, boolType, type CelType, dynType, listOf, mapOf } from "../type/cel-type.ts";
import { admissionTypes, namespaceType, requestType, variablesType } from "./admission-types.ts";

/** What the expressions of a policy may use besides the request. */
interface PolicyOptions {
  /** Whether there are `params`. */
  readonly params?: boolean;
  /** Whether they may ask for permissions. */
  readonly authorizer?: boolean;
  /** Whether they may build patches. */
  readonly patches?: boolean;
  /** Whether there are `variables`; match conditions of webhooks have none. */
  readonly variables?: boolean;
  /** As for kubernetesEnvironment(). */
  readonly compatibility?: number;
  /** Types of objects and parameters, which are not known unless expressions are only checked. */
  readonly types?: { readonly object?: DeclType; readonly params?: DeclType };
}

/** An expression of a policy, compiled as far as it could be. */
export interface PolicyExpression {
  readonly expression: string;
  /** Absent if the expression is wrong. */
  readonly program?: Program;
  /** What is wrong with it. */
  readonly error?: string;
  /** The part of the error that the compiler wrote. */
  readonly issues?: string;
}

/**
 * Compiles the expressions of a policy, or the match conditions of a webhook.
 *
 * Upstream: apiserver/pkg/admission/plugin/cel.
 */
export class PolicyCompiler {
  readonly #environment: Environment;
  readonly #types = new Map<string, CelType>();
  readonly #variables = new Map<string, PolicyExpression>();

  constructor(options: PolicyOptions = {}) {
    this.#environment = policyEnvironment(options, this.#types);
  }

  /** The variables of the policy that have been added, by name. */
  get variables(): ReadonlyMap<string, PolicyExpression> {
    return this.#variables;
  }

  /** Compiles a variable, which expressions that are compiled later may use. */
  addVariable(name: string, expression: string): PolicyExpression {
    const compiled = this.compile(expression, [anyType]);
    this.#types.set(name, variableType(compiled.program?.outputType));
    this.#variables.set(name, compiled);
    return compiled;
  }

  /** Compiles an expression that must be of one of some types; any type stands for all. */
  compile(expression: string, returnTypes: readonly CelType[] = [boolType]): PolicyExpression {
    const compiled = this.#compileAny(expression);
    const type = compiled.program?.outputType;
    const isExpected = (expected: CelType) => expected === anyType || type?.equals(expected);
    if (type === undefined || returnTypes.some(isExpected)) return compiled;
    const [only] = returnTypes;
    const expected = returnTypes.length === 1 ? `${only}` : `one of [${returnTypes.join(" ")}]`;
    return { expression, error: `must evaluate to ${expected} but got ${type}` };
  }

  #compileAny(expression: string): PolicyExpression {
    try {
      return { expression, program: this.#environment.compile(expression) };
    } catch (error) {
      if (error instanceof CompileError) {
        const issues = error.message;
        return { expression, issues, error: `compilation failed: ${issues}` };
      }
      if (!(error instanceof PlanError)) throw error;
      return { expression, error: `program instantiation failed: ${error.message}` };
    }
  }
}

function policyEnvironment(
  options: PolicyOptions,
  variableTypes: ReadonlyMap<string, CelType>,
): Environment {
  const { types, patches = false, compatibility } = options;
  const decls = [types?.object, types?.params].filter((decl) => decl !== undefined);
  const providers = [admissionTypes, declTypeProvider(...decls), variablesProvider(variableTypes)];
  return kubernetesEnvironment({
    variables: declareVariables(options),
    types: combineProviders(providers),
    patches,
    ...(compatibility !== undefined && { compatibility }),
  });
}

function declareVariables(options: PolicyOptions): Record<string, CelType> {
  const { types, params = false, authorizer = false, variables = true } = options;
  const objectType = types?.object?.type ?? dynType;
  return {
    object: objectType,
    oldObject: objectType,
    namespaceObject: namespaceType,
    request: requestType,
    ...(params && { params: types?.params?.type ?? dynType }),
    ...(authorizer && { authorizer: authorizerType }),
    ...(authorizer && !types && { "authorizer.requestResource": resourceCheckType }),
    ...(variables && { variables: variablesType }),
  };
}

function variablesProvider(fields: ReadonlyMap<string, CelType>): TypeProvider {
  return {
    findType: (name) => (name === variablesType.name ? variablesType : undefined),
    findField: (_, field) => fields.get(field),
  };
}

const keptKinds: readonly string[] = [
  ...["any", "bool", "bytes", "double", "duration", "int", "null", "string", "timestamp", "uint"],
];

/** The type of a variable, of which only the basic types are known, and lists and maps of them. */
function variableType(type: CelType | undefined): CelType {
  if (type === undefined) return dynType;
  if (keptKinds.includes(type.kind)) return type;
  const [first, second] = type.parameters.map(variableType);
  if (type.kind === "list" && first !== undefined) return listOf(first);
  if (type.kind === "map" && first !== undefined && second !== undefined) {
    return mapOf(first, second);
  }
  return dynType;
}
