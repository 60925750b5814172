import {
  type CustomResourceDefinition,
  customResourceDefinitions,
} from "#/api/apiextensions/v1.ts";
import type { Resource } from "#/api/base/resource.ts";
import { networkPolicies } from "#/api/networking/v1.ts";
import type { Informer } from "#/client/informers/informer.ts";
import type { Informers } from "#/client/informers/informers.ts";
import { memoByIdentity } from "#/std/memory/memo.ts";
import type { Clock } from "#/std/time/clock.ts";
import { clusterPolicyKinds, clusterPolicyOf } from "./model/cluster-policies.ts";
import { networkPolicyOf } from "./model/network-policy.ts";
import type { Policy } from "./model/policy.ts";

/** Limit of the wait for custom resources (ms): one that is not served would keep all policies from being enforced. */
const definitionsWaitMs = 10_000;

/** All policies of the cluster, of every kind that it serves. */
export class PolicySources {
  readonly #informers: Informers;
  readonly #changed: () => void;
  readonly #definitions: Informer<CustomResourceDefinition>;
  /** By the name of the kind. */
  readonly #lists = new Map<string, () => readonly Policy[]>();

  constructor(informers: Informers, changed: () => void) {
    this.#informers = informers;
    this.#changed = changed;
    this.#follow(networkPolicies, networkPolicyOf);
    this.#definitions = informers.informer(customResourceDefinitions, { metadataOnly: true });
    this.#followDefinitions();
  }

  /**
   * Resolves when all policies are known: rules that are written before would open what the others close. A custom
   * resource whose server does not answer is waited for no longer than the limit.
   */
  async synced(clock: Clock, signal: AbortSignal): Promise<void> {
    await this.#informers.informer(networkPolicies, { transform: withoutManagedFields }).synced;
    await this.#definitions.synced;
    const enough = new AbortController();
    const tooLong = clock.sleep(definitionsWaitMs, AbortSignal.any([signal, enough.signal]));
    await Promise.race([this.#informers.synced(), tooLong.catch(() => undefined)]);
    enough.abort();
  }

  list(): Policy[] {
    return [...this.#lists.values()].flatMap((list) => list());
  }

  /** The kinds of administrators are custom resources: they come and go. */
  #followDefinitions(): void {
    const kindOf = (name = "") =>
      clusterPolicyKinds.find(({ resource }) => name === `${resource.name}.${resource.group}`);
    this.#definitions.subscribe({
      added: ({ metadata }) => {
        const kind = kindOf(metadata.name);
        if (!kind) return;
        const { resource, tier } = kind;
        this.#follow(resource, (object) => clusterPolicyOf(resource, tier, object));
      },
      deleted: ({ metadata }) => {
        const kind = kindOf(metadata.name);
        if (!kind) return;
        this.#lists.delete(kind.resource.name);
        this.#informers.stop(kind.resource);
        this.#changed();
      },
    });
  }

  #follow<T>(resource: Resource<T>, translate: (object: T & object) => Policy): void {
    const policyOf = memoByIdentity(translate);
    const informer = this.#informers.informer(resource, { transform: withoutManagedFields });
    this.#lists.set(resource.name, () =>
      informer.store.list().map((object) => policyOf(object as T & object)),
    );
    informer.subscribe({ added: this.#changed, updated: this.#changed, deleted: this.#changed });
  }
}

function withoutManagedFields<T>(object: T): T {
  const { metadata } = object as { metadata: object };
  return { ...object, metadata: { ...metadata, managedFields: undefined } };
}
