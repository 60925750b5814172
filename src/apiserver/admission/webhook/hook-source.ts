import type {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from "#/api/admissionregistration/v1.ts";
import type { Resource } from "#/api/base/resource.ts";
import type { Attributes } from "../../registry/admission.ts";
import type { Registry } from "../../registry/registry.ts";
import type { StoredObject } from "../../registry/stored-object.ts";
import type { Decoded } from "../../registry/strategy.ts";
import {
  equivalentTargets,
  findTarget,
  isExempt,
  type Target,
} from "../request/matched-request.ts";
import { Webhook, type WebhookSpec } from "./webhook.ts";

type Configuration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration;

/** A webhook with rules that match a request, and the version in which it gets the request. */
export interface Candidate {
  readonly webhook: Webhook;
  readonly target: Target;
  /** Its index among all webhooks, for the audit log. */
  readonly index: number;
}

/** Limit of cached lookups of webhooks by kind of request (count). */
const answersKept = 4096;

/**
 * The webhooks of all configurations of one kind, in the order of the configurations' names, kept up to date. The
 * webhooks of a kind of request are looked up once.
 */
export class HookSource {
  readonly #registry: Registry;
  readonly #handle: Resource;
  readonly #known = new Map<string, { stored: StoredObject; webhooks: readonly Webhook[] }>();
  readonly #answers = new Map<string, readonly Candidate[]>();
  #webhooks: readonly Webhook[] | undefined;
  #generation = -1;

  constructor(
    registry: Registry,
    handle: Resource<MutatingWebhookConfiguration> | Resource<ValidatingWebhookConfiguration>,
  ) {
    this.#registry = registry;
    this.#handle = handle;
    registry.catalog.findResource(handle.group, handle.name)?.store.cache.subscribe({
      scope: { keyPrefix: "" },
      deliver: () => {
        this.#webhooks = undefined;
      },
    });
  }

  /** The webhooks with rules that match a request, in order. */
  candidates(attributes: Attributes): readonly Candidate[] {
    const webhooks = this.#current();
    if (webhooks.length === 0 || isExempt(attributes)) return [];
    const { operation, resource, subresource, namespace, kind } = attributes;
    const { group, version, name } = resource;
    const key = `${operation} ${group}/${version}/${name}/${subresource} ${kind.kind} ${namespace !== ""}`;
    const known = this.#answers.get(key);
    if (known) return known;
    const found = webhooks.flatMap((webhook, index) => {
      const target = this.#targetOf(webhook, attributes);
      return target ? [{ webhook, target, index }] : [];
    });
    if (this.#answers.size >= answersKept) this.#answers.clear();
    this.#answers.set(key, found);
    return found;
  }

  #targetOf({ spec }: Webhook, attributes: Attributes): Target | undefined {
    return findTarget(spec.rules ?? [], attributes, () =>
      spec.matchPolicy === "Exact" ? [] : equivalentTargets(this.#registry, attributes),
    );
  }

  #current(): readonly Webhook[] {
    const { generation } = this.#registry.catalog;
    if (this.#webhooks && generation === this.#generation) return this.#webhooks;
    this.#answers.clear();
    this.#generation = generation;
    this.#webhooks ??= this.#load();
    return this.#webhooks;
  }

  #load(): readonly Webhook[] {
    const store = this.#registry.catalog.findResource(this.#handle.group, this.#handle.name)?.store;
    if (!store) return [];
    const entries = [...store.cache.snapshot().items.entries()];
    const names = new Set(entries.map(([name]) => name));
    for (const name of this.#known.keys()) if (!names.has(name)) this.#known.delete(name);
    return entries.flatMap(([name, stored]) => {
      const known = this.#known.get(name);
      if (known?.stored === stored) return known.webhooks;
      const webhooks = webhooksOf(stored.parsed() as Decoded<Configuration>);
      this.#known.set(name, { stored, webhooks });
      return webhooks;
    });
  }
}

/** Duplicate names get a number. */
function webhooksOf({ metadata, webhooks = [] }: Decoded<Configuration>): Webhook[] {
  const seen = new Map<string, number>();
  const configuration = metadata.name ?? "";
  return webhooks.map((spec) => {
    const count = seen.get(spec.name) ?? 0;
    seen.set(spec.name, count + 1);
    const uid = `${configuration}/${spec.name}/${count}`;
    return new Webhook(spec as WebhookSpec, configuration, uid);
  });
}
