import {
  type MutatingAdmissionPolicy,
  type MutatingAdmissionPolicyBinding,
  mutatingAdmissionPolicies,
  mutatingAdmissionPolicyBindings,
} from "#/api/admissionregistration/v1.ts";
import { fieldTypeOf } from "#/machinery/apply/field-type.ts";
import { serviceUnavailable } from "#/machinery/meta/status-error.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { findSchema } from "#/machinery/schema/kinds.ts";
import { append } from "#/std/base/append.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import type { Attributes } from "../../registry/admission.ts";
import type { ApiObject, Decoded } from "../../registry/strategy.ts";
import { admissionPlugin, type PluginServices, type Round } from "../base/admission-plugin.ts";
import { forbid } from "../base/forbid.ts";
import type { Target } from "../request/matched-request.ts";
import { RequestAuthorizer } from "../request/request-authorizer.ts";
import { storedObject, versionedObjects } from "../request/versioned-objects.ts";
import { Reinvocation } from "../webhook/reinvocation.ts";
import { collectParams, paramResource } from "./collect-params.ts";
import { bindingMatches, selectorsMatch } from "./match-resources.ts";
import type { FindFieldType } from "./merge-configuration.ts";
import { MutationError } from "./mutation-error.ts";
import { MutationEvaluator } from "./mutation-evaluator.ts";
import { namespaceObject, policyBindings } from "./policy-bindings.ts";
import { checkErrorOf, MutatingPolicyMetrics } from "./policy-metrics.ts";
import { type PolicyCandidate, PolicySource } from "./policy-source.ts";

type Policy = Decoded<MutatingAdmissionPolicy>;
type Binding = Decoded<MutatingAdmissionPolicyBinding>;
type Candidate = PolicyCandidate<
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutationEvaluator
>;

/** A policy to be run for a binding and a parameter. */
interface Invocation {
  readonly policy: Policy;
  readonly binding: Binding;
  readonly evaluator: MutationEvaluator;
  readonly target: Target;
  readonly params: ApiObject | undefined;
}

interface PolicyFailure {
  readonly message: string;
  readonly reason?: string;
}

const name = "MutatingAdmissionPolicy";

/**
 * Changes objects by policies in CEL.
 * Upstream: staging/src/k8s.io/apiserver/pkg/admission/plugin/policy/mutating/dispatcher.go.
 */
export const mutatingAdmissionPolicy = admissionPlugin({
  name,
  operations: ["CREATE", "UPDATE", "CONNECT"],
  open(services) {
    const metrics = new MutatingPolicyMetrics(services.metricsRegistry, services.clock);
    const source = new PolicySource({
      registry: services.registry,
      policies: mutatingAdmissionPolicies,
      bindings: mutatingAdmissionPolicyBindings,
      compile: (policy) => new MutationEvaluator(policy),
    });
    return {
      mutate(given, _, round) {
        const attributes = given as Attributes;
        const candidates = source.candidates(attributes);
        if (candidates.length === 0) return;
        return new Treatment(attributes, services, metrics, round).carryOut(candidates);
      },
    };
  },
});

/** The run of all policies on one request. */
class Treatment {
  readonly #attributes: Attributes;
  readonly #services: PluginServices;
  readonly #metrics: MutatingPolicyMetrics;
  readonly #round: Round;
  readonly #authorizer: RequestAuthorizer;
  readonly #failures: PolicyFailure[] = [];

  constructor(
    attributes: Attributes,
    services: PluginServices,
    metrics: MutatingPolicyMetrics,
    round: Round,
  ) {
    this.#attributes = attributes;
    this.#services = services;
    this.#metrics = metrics;
    this.#round = round;
    this.#authorizer = new RequestAuthorizer(services.authorizer, attributes);
  }

  async carryOut(candidates: readonly Candidate[]): Promise<void> {
    const invocations: Invocation[] = [];
    for (const candidate of candidates) append(invocations, await this.#invocations(candidate));
    if (invocations.length > 0) await this.#carryOutAll(invocations);
    const [first] = this.#failures;
    if (!first) return;
    const error = forbid(this.#attributes, "admission request denied by policy");
    error.status.message = first.message;
    if (first.reason) error.status.reason = first.reason;
    const causes = this.#failures.map(({ message }) => ({ message }));
    error.status.details = { ...error.status.details, causes };
    throw error;
  }

  async #invocations(candidate: Candidate): Promise<Invocation[]> {
    const { policy, bindings, evaluator, target } = candidate;
    const { registry } = this.#services;
    const { matchConstraints, paramKind } = policy.spec ?? {};
    const found: Invocation[] = [];
    try {
      if (!matchConstraints || !target) {
        throw new Error("policy contained no match constraints, a required field");
      }
      if (!(await selectorsMatch(matchConstraints, this.#attributes, registry))) return [];
      const resource = paramKind && paramResource(registry, paramKind);
      for (const binding of bindings) {
        for (const params of await this.#params(policy, binding, resource)) {
          found.push({ policy, binding, evaluator, target, params });
        }
      }
    } catch (error) {
      this.#fail(policy, undefined, `failed to configure policy: ${(error as Error).message}`);
    }
    return found;
  }

  async #params(
    policy: Policy,
    binding: Binding,
    resource: ReturnType<typeof paramResource> | undefined,
  ): Promise<readonly (ApiObject | undefined)[]> {
    const { matchResources, paramRef } = binding.spec ?? {};
    const { registry } = this.#services;
    try {
      if (!(await bindingMatches(matchResources, this.#attributes, registry))) return [];
      return await collectParams(resource, paramRef, this.#attributes.namespace);
    } catch (error) {
      this.#fail(policy, binding, `failed to configure binding: ${(error as Error).message}`);
      return [];
    }
  }

  async #carryOutAll(invocations: readonly Invocation[]): Promise<void> {
    const memory = Reinvocation.of(this.#round, name);
    const again = this.#round.isReinvocation;
    const attributes = this.#attributes;
    if (again && memory.hasChangedSince(attributes.object)) memory.callAgain();
    const namespace = await namespaceObject(this.#services.registry, attributes);
    try {
      for (const invocation of invocations) {
        if (!(await this.#isWanted(invocation, namespace))) continue;
        const key = keyOf(invocation);
        if (again && !memory.wantsAgain(key)) continue;
        if (await this.#mutate(invocation, namespace)) {
          memory.callAgain();
          this.#round.reinvoke = true;
        }
        if (invocation.policy.spec?.reinvocationPolicy === "IfNeeded") memory.add(key);
      }
    } finally {
      memory.remember(attributes.object);
    }
  }

  async #isWanted(invocation: Invocation, namespace: object | null): Promise<boolean> {
    const { conditions } = invocation.evaluator;
    if (conditions.isEmpty) return true;
    const bindings = await this.#bindings(invocation, namespace);
    const result = await this.#authorizer.evaluate(() => conditions.match(bindings));
    if ("matches" in result) return result.matches;
    this.#fail(invocation.policy, invocation.binding, result.error, "Invalid");
    return false;
  }

  async #bindings(invocation: Invocation, namespace: object | null) {
    const { target, params } = invocation;
    const attributes = this.#attributes;
    const objects = await versionedObjects(this.#services.registry, attributes, target);
    const authorizer = this.#authorizer;
    return policyBindings({ attributes, target, objects, namespace, params, authorizer });
  }

  /** Runs the mutations of a policy in order; returns whether they changed anything. */
  async #mutate(invocation: Invocation, namespace: object | null): Promise<boolean> {
    const { evaluator, target, policy, binding } = invocation;
    const { registry } = this.#services;
    const before = this.#attributes.object;
    const { clock } = this.#services;
    const who = { policy: policy.metadata.name ?? "", policy_binding: binding.metadata.name ?? "" };
    for (let index = 0; index < evaluator.mutationCount; index++) {
      if (!this.#attributes.object) break;
      const bindings = await this.#bindings(invocation, namespace);
      const object = bindings.object as ApiObject;
      const startMs = clock.monotonicMs();
      try {
        const changed = await this.#authorizer.evaluate(() =>
          evaluator.mutate(index, object, bindings, this.#fieldTypes(target)),
        );
        const { pace } = this.#attributes;
        this.#attributes.object = await storedObject(registry, target, changed, pace);
        this.#metrics.mutated(who, "no_error", startMs);
      } catch (error) {
        const why = error instanceof Error ? error.message : "";
        this.#metrics.mutated(who, checkErrorOf(why), startMs);
        if (!(error instanceof MutationError)) throw error;
        this.#fail(policy, binding, error.message, "Invalid");
      }
    }
    return !deepEqual(before, this.#attributes.object);
  }

  #fieldTypes({ group, version, resource, kind }: Target): FindFieldType {
    return () => {
      const served = this.#services.registry.catalog.find(group, version, resource);
      const own = served?.version.handle.kind === kind.kind ? served.schema : undefined;
      const schema = own ?? findSchema(kind.group, kind.version, kind.kind);
      if (schema) return fieldTypeOf(schema, { structured: false });
      const which = `${kind.group}/${kind.version}, Kind=${kind.kind}`;
      throw serviceUnavailable(
        `Resource kind ${which} not found. There can be a delay between when CustomResourceDefinitions are created and when they are available.`,
      );
    };
  }

  #fail(
    { metadata, spec }: Policy,
    binding: Binding | undefined,
    why: string,
    reason?: string,
  ): void {
    if (spec?.failurePolicy === "Ignore") return;
    const who = binding
      ? `policy '${metadata.name}' with binding '${binding.metadata.name}'`
      : `policy ${goQuote(metadata.name ?? "")}`;
    this.#failures.push({
      message: `${who} denied request: ${why}`,
      ...(reason ? { reason } : {}),
    });
  }
}

/** Key of an invocation in both passes. */
function keyOf({ policy, binding, params }: Invocation): string {
  const { namespace = "", name: param = "" } = params?.metadata ?? {};
  return JSON.stringify([policy.metadata.name, binding.metadata.name, namespace, param]);
}
