import type { MutatingAdmissionPolicy, Mutation } from "#/api/admissionregistration/v1.ts";
import {
  applyConfiguration,
  PatchValueError,
  patchOperations,
} from "#/machinery/cel/admission/patch-json.ts";
import {
  PolicyCompiler,
  type PolicyExpression,
} from "#/machinery/cel/admission/policy-compiler.ts";
import {
  OutOfBudgetError,
  type PolicyBindings,
  PolicyRun,
} from "#/machinery/cel/admission/policy-run.ts";
import { listOf, objectType } from "#/machinery/cel/type/cel-type.ts";
import type { CelValue } from "#/machinery/cel/value/cel-value.ts";
import { deepCopy } from "#/machinery/objects/deep-copy.ts";
import { jsonPatchSteps } from "#/machinery/patch/json-patch.ts";
import type { JsonObject } from "#/machinery/patch/values/json-value.ts";
import { PatchError } from "#/machinery/patch/values/patch-error.ts";
import { lazily } from "#/std/base/lazily.ts";
import type { Steps } from "#/std/base/steps.ts";
import type { ApiObject } from "../../registry/strategy.ts";
import { MatchConditions } from "../request/match-conditions.ts";
import { type FindFieldType, mergeConfiguration } from "./merge-configuration.ts";
import { MutationError } from "./mutation-error.ts";

const jsonPatchType = listOf(objectType("JSONPatch"));
const configurationType = objectType("Object");

/**
 * The expressions of a MutatingAdmissionPolicy, compiled.
 * Upstream: staging/src/k8s.io/apiserver/pkg/admission/plugin/policy/mutating/compilation.go,
 * staging/src/k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch.
 */
export class MutationEvaluator {
  readonly conditions: MatchConditions;
  readonly mutationCount: number;
  readonly #compiler: PolicyCompiler;
  readonly #mutations: readonly { mutation: Mutation; expression: () => PolicyExpression }[];

  constructor({ spec = {} }: MutatingAdmissionPolicy) {
    this.#compiler = new PolicyCompiler({
      params: spec.paramKind !== undefined,
      authorizer: true,
      patches: true,
    });
    this.#compiler.addLater(spec.variables ?? []);
    this.conditions = new MatchConditions(spec.matchConditions ?? [], this.#compiler);
    this.#mutations = (spec.mutations ?? []).map((mutation) => ({
      mutation,
      expression: lazily(() => compileMutation(this.#compiler, mutation)),
    }));
    this.mutationCount = this.#mutations.length;
  }

  /** Applies one of the mutations to the object. Throws MutationError; the input is not changed. */
  *mutate(
    index: number,
    object: ApiObject,
    bindings: PolicyBindings,
    findFieldType: FindFieldType,
  ): Steps<JsonObject> {
    yield* this.#compiler.ready();
    const { mutation, expression: compile } = this.#mutations[index] ?? {};
    if (!mutation || !compile) throw new MutationError("policy evaluator is nil");
    const expression = compile();
    yield;
    if (!expression.program) throw new MutationError(expression.error ?? "");
    const value = this.#evaluate(expression, bindings);
    yield;
    try {
      const json = object as unknown as JsonObject;
      return mutation.patchType === "JSONPatch"
        ? yield* applyPatch(json, value)
        : mergeConfiguration(json, applyConfiguration(value), findFieldType);
    } catch (error) {
      if (!(error instanceof PatchValueError)) throw error;
      throw new MutationError(error.message);
    }
  }

  #evaluate(expression: PolicyExpression, bindings: PolicyBindings): CelValue {
    try {
      const outcome = new PolicyRun(this.#compiler, bindings).evaluate(expression);
      if ("error" in outcome) throw new MutationError(outcome.error);
      return outcome.value;
    } catch (error) {
      if (!(error instanceof OutOfBudgetError)) throw error;
      throw new MutationError(error.message);
    }
  }
}

function compileMutation(compiler: PolicyCompiler, mutation: Mutation): PolicyExpression {
  if (mutation.patchType === "JSONPatch") {
    return compiler.compile(mutation.jsonPatch?.expression ?? "", [jsonPatchType]);
  }
  return compiler.compile(mutation.applyConfiguration?.expression ?? "", [configurationType]);
}

/** A failed JSON patch test means that there is nothing to change. */
function* applyPatch(object: JsonObject, value: CelValue): Steps<JsonObject> {
  const operations = patchOperations(value) as unknown as JsonObject[];
  yield;
  try {
    const own = deepCopy(object);
    yield;
    return (yield* jsonPatchSteps(own, operations)) as JsonObject;
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    if (error.message.endsWith(": test failed")) return object;
    throw new MutationError(`JSON Patch: ${error.message}`);
  }
}
