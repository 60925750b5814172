import {
  type ValidatingAdmissionPolicy,
  type ValidatingAdmissionPolicyBinding,
  validatingAdmissionPolicies,
  validatingAdmissionPolicyBindings,
} from "#/api/admissionregistration/v1.ts";
import type { StatusError } from "#/machinery/meta/status-error.ts";
import { table } from "#/std/base/table.ts";
import type { Attributes } from "../../registry/admission.ts";
import type { Decoded } from "../../registry/strategy.ts";
import { admissionPlugin, type PluginServices } from "../base/admission-plugin.ts";
import { forbid } from "../base/forbid.ts";
import { RequestAuthorizer } from "../request/request-authorizer.ts";
import { versionedObjects } from "../request/versioned-objects.ts";
import { collectParams, paramResource } from "./collect-params.ts";
import { bindingMatches, selectorsMatch } from "./match-resources.ts";
import { namespaceObject, policyBindings } from "./policy-bindings.ts";
import { checkErrorOf, ValidatingPolicyMetrics } from "./policy-metrics.ts";
import { type PolicyCandidate, PolicySource } from "./policy-source.ts";
import { ValidationEvaluator, type Verdict } from "./validation-evaluator.ts";

type Binding = Decoded<ValidatingAdmissionPolicyBinding>;
type Candidate = PolicyCandidate<
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidationEvaluator
>;

/** A denial, with its policy and binding. */
interface Denied {
  readonly policy: string;
  readonly binding: string | undefined;
  readonly message: string;
  readonly reason?: string;
}

/** The audit annotation of an Audit action; the order of fields is that of the audit log. */
interface Failure {
  readonly message: string;
  readonly policy: string;
  readonly binding: string;
  readonly expressionIndex: number;
  readonly validationActions: readonly string[];
}

const failureKey = "validation.policy.admission.k8s.io/validation_failure";
const maxFailures = 50;

/**
 * Validates requests by policies in CEL.
 * Upstream: staging/src/k8s.io/apiserver/pkg/admission/plugin/policy/validating/dispatcher.go.
 */
export const validatingAdmissionPolicy = admissionPlugin({
  name: "ValidatingAdmissionPolicy",
  operations: ["CREATE", "UPDATE", "DELETE", "CONNECT"],
  open(services) {
    const metrics = new ValidatingPolicyMetrics(services.metricsRegistry, services.clock);
    const source = new PolicySource({
      registry: services.registry,
      policies: validatingAdmissionPolicies,
      bindings: validatingAdmissionPolicyBindings,
      compile: (policy) => new ValidationEvaluator(policy),
    });
    return {
      validate(given) {
        const attributes = given as Attributes;
        const candidates = source.candidates(attributes);
        if (candidates.length === 0) return;
        return new Trial(attributes, services, metrics).judge(candidates);
      },
    };
  },
});

/** The evaluation of all policies for one request. */
class Trial {
  readonly #attributes: Attributes;
  readonly #services: PluginServices;
  readonly #metrics: ValidatingPolicyMetrics;
  readonly #authorizer: RequestAuthorizer;
  readonly #denied: Denied[] = [];
  readonly #failures: Failure[] = [];
  #namespace: object | null | undefined;

  constructor(attributes: Attributes, services: PluginServices, metrics: ValidatingPolicyMetrics) {
    this.#attributes = attributes;
    this.#services = services;
    this.#metrics = metrics;
    this.#authorizer = new RequestAuthorizer(services.authorizer, attributes);
  }

  async judge(candidates: readonly Candidate[]): Promise<void> {
    for (const candidate of candidates) await this.#judgeByPolicy(candidate);
    if (this.#failures.length > 0) {
      const shown = this.#failures.slice(0, maxFailures);
      this.#attributes.annotate(failureKey, JSON.stringify(shown));
    }
    const [first] = this.#denied;
    if (first) throw refusal(this.#attributes, first);
  }

  async #judgeByPolicy(candidate: Candidate): Promise<void> {
    const { policy, bindings } = candidate;
    const { registry } = this.#services;
    const { matchConstraints, paramKind } = policy.spec ?? {};
    const annotations = new Map<string, Set<string>>();
    try {
      if (!matchConstraints) {
        throw new Error("policy contained no match constraints, a required field");
      }
      if (!(await selectorsMatch(matchConstraints, this.#attributes, registry))) return;
      if (paramKind) paramResource(registry, paramKind);
    } catch (error) {
      this.#misconfigured(policy, undefined, error as Error);
      return;
    }
    for (const binding of bindings) {
      for (const { key, value } of await this.#judgeByBinding(candidate, binding)) {
        annotations.set(key, (annotations.get(key) ?? new Set()).add(value));
      }
    }
    for (const [key, values] of annotations) {
      this.#attributes.annotate(`${policy.metadata.name}/${key}`, [...values].join(", "));
    }
  }

  async #judgeByBinding(candidate: Candidate, binding: Binding): Promise<Verdict["annotations"]> {
    const { policy } = candidate;
    this.#namespace ??= await namespaceObject(this.#services.registry, this.#attributes);
    const startMs = this.#services.clock.monotonicMs();
    try {
      const verdicts = await this.#verdicts(candidate, binding, this.#namespace);
      return verdicts.flatMap((verdict) => {
        this.#count(verdict, policy, binding, startMs);
        return this.#act(verdict, policy, binding);
      });
    } catch (error) {
      this.#misconfigured(policy, binding, error as Error);
      return [];
    }
  }

  async #verdicts(
    candidate: Candidate,
    binding: Binding,
    namespace: object | null,
  ): Promise<readonly Verdict[]> {
    const { policy, evaluator, target } = candidate;
    const { registry } = this.#services;
    const attributes = this.#attributes;
    const { paramRef, matchResources } = binding.spec ?? {};
    if (!target || !(await bindingMatches(matchResources, attributes, registry))) return [];
    const kind = policy.spec?.paramKind;
    const resource = kind && paramResource(registry, kind);
    const params = await collectParams(resource, paramRef, attributes.namespace);
    if (params.length === 0) return [];
    const objects = await versionedObjects(registry, attributes, target);
    const authorizer = this.#authorizer;
    return Promise.all(
      params.map((param) => {
        const input = { attributes, target, objects, namespace, params: param, authorizer };
        const bindings = policyBindings(input);
        return authorizer.evaluate(() => evaluator.evaluate(bindings));
      }),
    );
  }

  /** Applies the binding's actions to denials. */
  #act(
    { denials, annotations, failures }: Verdict,
    policy: Decoded<ValidatingAdmissionPolicy>,
    binding: Binding,
  ): Verdict["annotations"] {
    const names = { policy: policy.metadata.name ?? "", binding: binding.metadata.name ?? "" };
    const { validationActions = [], policyName = "" } = binding.spec ?? {};
    for (const { index, message, reason } of denials) {
      for (const action of validationActions) {
        if (action === "Deny") {
          this.#denied.push({ ...names, message, ...(reason ? { reason } : {}) });
        } else if (action === "Audit") {
          this.#failures.push({
            message,
            policy: policyName,
            binding: names.binding,
            expressionIndex: index,
            validationActions,
          });
        } else if (action === "Warn") {
          this.#attributes.warn(
            `Validation failed for ValidatingAdmissionPolicy '${names.policy}' with binding '${names.binding}': ${message}`,
          );
        }
      }
    }
    for (const message of failures) this.#denied.push({ ...names, message });
    return annotations;
  }

  #count(
    { denials, failures }: Verdict,
    policy: Decoded<ValidatingAdmissionPolicy>,
    binding: Binding,
    startMs: number,
  ): void {
    const who = { policy: policy.metadata.name ?? "", policy_binding: binding.metadata.name ?? "" };
    for (const { message } of denials) {
      for (const action of binding.spec?.validationActions ?? []) {
        this.#metrics.validated(who, checkErrorOf(message), action.toLowerCase(), startMs);
      }
    }
    for (const message of failures) {
      this.#metrics.validated(who, checkErrorOf(message), "deny", startMs);
    }
  }

  /** A policy that can't be evaluated refuses every request that it matches, unless failures are ignored. */
  #misconfigured(
    policy: Decoded<ValidatingAdmissionPolicy>,
    binding: Binding | undefined,
    error: Error,
  ): void {
    if (policy.spec?.failurePolicy === "Ignore") return;
    const what = binding ? "binding" : "policy";
    this.#denied.push({
      policy: policy.metadata.name ?? "",
      binding: binding?.metadata.name,
      message: `failed to configure ${what}: ${error.message}`,
    });
  }
}

const codes: Readonly<Record<string, number>> = table({
  Forbidden: 403,
  Unauthorized: 401,
  RequestEntityTooLarge: 413,
});

function refusal(attributes: Attributes, denied: Denied): StatusError {
  const { policy, binding, message: why, reason = "Invalid" } = denied;
  const who = binding === undefined ? `'${policy}'` : `'${policy}' with binding '${binding}'`;
  const message = `ValidatingAdmissionPolicy ${who} denied request: ${why}`;
  const error = forbid(attributes, message);
  error.status.reason = reason;
  error.status.code = codes[reason] ?? 422;
  error.status.details = { ...error.status.details, causes: [{ message }] };
  return error;
}
