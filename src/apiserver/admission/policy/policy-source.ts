import type {
  FailurePolicyType,
  MatchResources,
  ParamKind,
  ParamRef,
} from "#/api/admissionregistration/v1.ts";
import type { Resource } from "#/api/base/resource.ts";
import type { Attributes } from "../../registry/admission.ts";
import type { Registry } from "../../registry/registry.ts";
import type { StoredObject } from "../../registry/stored-object.ts";
import type { ApiObject, Decoded } from "../../registry/strategy.ts";
import { listObjects } from "../base/find-object.ts";
import { isExempt, type Target } from "../request/matched-request.ts";
import { findPolicyTarget } from "./match-resources.ts";

/** Common fields of both kinds of policies. */
interface AnyPolicy {
  spec?: {
    readonly paramKind?: ParamKind;
    readonly matchConstraints?: MatchResources;
    readonly failurePolicy?: FailurePolicyType;
  };
}

/** Common fields of both kinds of bindings. */
interface AnyBinding {
  spec?: {
    readonly policyName?: string;
    readonly paramRef?: ParamRef;
    readonly matchResources?: MatchResources;
  };
}

/** A compiled policy with its bindings. */
interface BoundPolicy<P, B, E> {
  readonly policy: Decoded<P>;
  readonly bindings: readonly Decoded<B>[];
  readonly evaluator: E;
}

/** A policy that matches a request; without a target it is unknown whether it matches. */
export interface PolicyCandidate<P, B, E> extends BoundPolicy<P, B, E> {
  readonly target: Target | undefined;
}

interface PolicySourceOptions<P, B, E> {
  readonly registry: Registry;
  readonly policies: Resource<P>;
  readonly bindings: Resource<B>;
  compile(policy: Decoded<P>): E;
}

/** Policies with bindings, in the order of their names, compiled once and kept up to date. */
export class PolicySource<P extends AnyPolicy, B extends AnyBinding, E> {
  readonly #options: PolicySourceOptions<P, B, E>;
  readonly #compiled = new Map<string, { stored: StoredObject; evaluator: E }>();
  #bound: readonly BoundPolicy<P, B, E>[] | undefined;

  constructor(options: PolicySourceOptions<P, B, E>) {
    this.#options = options;
    for (const { group, name } of [options.policies, options.bindings]) {
      options.registry.catalog.findResource(group, name)?.store.cache.subscribe({
        scope: { keyPrefix: "" },
        deliver: () => {
          this.#bound = undefined;
        },
      });
    }
  }

  /** The policies with rules that match a request. */
  candidates(attributes: Attributes): readonly PolicyCandidate<P, B, E>[] {
    this.#bound ??= this.#load();
    if (this.#bound.length === 0 || isExempt(attributes)) return [];
    return this.#bound.flatMap((bound): PolicyCandidate<P, B, E>[] => {
      const constraints = bound.policy.spec?.matchConstraints;
      if (!constraints) return [{ ...bound, target: undefined }];
      const target = findPolicyTarget(constraints, attributes, this.#options.registry);
      return target ? [{ ...bound, target }] : [];
    });
  }

  #load(): readonly BoundPolicy<P, B, E>[] {
    const { registry, policies, bindings } = this.#options;
    const byPolicy = Map.groupBy(
      listObjects(registry, bindings),
      ({ spec }) => spec?.policyName ?? "",
    );
    for (const name of this.#compiled.keys()) if (!byPolicy.has(name)) this.#compiled.delete(name);
    const store = registry.catalog.findResource(policies.group, policies.name)?.store;
    return [...byPolicy]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([name, bound]) => {
        const stored = store?.findCached("", name);
        if (!stored) return [];
        const policy = stored.parsed() as Decoded<P>;
        return [{ policy, bindings: bound, evaluator: this.#evaluator(name, stored) }];
      });
  }

  #evaluator(name: string, stored: StoredObject): E {
    const known = this.#compiled.get(name);
    if (known?.stored === stored) return known.evaluator;
    const evaluator = this.#options.compile(stored.parsed() as Decoded<P & ApiObject>);
    this.#compiled.set(name, { stored, evaluator });
    return evaluator;
  }
}
