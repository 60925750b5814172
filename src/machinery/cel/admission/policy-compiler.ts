import { append } from "#/std/base/append.ts";
import type { Steps } from "#/std/base/steps.ts";
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

/** The variables and libraries that a policy's expressions may use in addition to the request. */
interface PolicyOptions {
  /** Whether there is the variable `params`. */
  readonly params?: boolean;
  /** Whether expressions may check permissions (`authorizer`). */
  readonly authorizer?: boolean;
  /** Whether expressions may create patches. */
  readonly patches?: boolean;
  /** Whether there is the variable `variables`; match conditions of webhooks do not have it. */
  readonly variables?: boolean;
  /** As for kubernetesEnvironment(). */
  readonly compatibility?: number;
  /** Types of objects and parameters, which are known only for type checking. */
  readonly types?: { readonly object?: DeclType; readonly params?: DeclType };
}

/** A variable of a policy. */
interface Variable {
  readonly name: string;
  readonly expression: string;
}

/** A compiled expression of a policy, or its error. */
export interface PolicyExpression {
  readonly expression: string;
  /** Undefined if the expression is invalid. */
  readonly program?: Program;
  /** The compile error. */
  readonly error?: string;
  /** The compiler's part of the error. */
  readonly issues?: string;
}

/**
 * Compiles the expressions of a policy, or the match conditions of a webhook.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/admission/plugin/cel.
 */
export class PolicyCompiler {
  readonly #environment: Environment;
  readonly #types = new Map<string, CelType>();
  readonly #variables = new Map<string, PolicyExpression>();
  readonly #later: Variable[] = [];
  /** Number of the variables of addLater() that are compiled. */
  #done = 0;

  constructor(options: PolicyOptions = {}) {
    this.#environment = policyEnvironment(options, this.#types);
  }

  /** The policy's variables added so far, by name. */
  get variables(): ReadonlyMap<string, PolicyExpression> {
    return this.#variables;
  }

  /** Has variables be compiled by ready(). */
  addLater(variables: readonly Variable[]): void {
    append(this.#later, variables);
  }

  /** Compiles the variables of addLater(), unless another caller has done it meanwhile. */
  *ready(): Steps<void> {
    for (;;) {
      const next = this.#later[this.#done];
      if (!next) return;
      this.#done++;
      this.addVariable(next.name, next.expression);
      yield;
    }
  }

  /** Compiles a variable; expressions compiled later may use it. */
  addVariable(name: string, expression: string): PolicyExpression {
    const compiled = this.compile(expression, [anyType]);
    this.#types.set(name, variableType(compiled.program?.outputType));
    this.#variables.set(name, compiled);
    return compiled;
  }

  /** Compiles an expression that must have one of some types; `anyType` allows all. */
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

/** The type of a variable; only basic types, and lists and maps of them, are preserved. */
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
