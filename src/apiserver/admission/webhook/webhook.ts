import type { MutatingWebhook, ValidatingWebhook } from "#/api/admissionregistration/v1.ts";
import type { Selector } from "#/machinery/meta/labels.ts";
import { forbidden } from "#/machinery/meta/status-error.ts";
import type { Attributes } from "../../registry/admission.ts";
import type { HookType } from "../base/admission-metrics.ts";
import type { PluginServices } from "../base/admission-plugin.ts";
import { describeRequest } from "../request/admission-request.ts";
import { MatchConditions, type MatchResult } from "../request/match-conditions.ts";
import { namespaceMatches, objectMatches, selectorOf } from "../request/matched-objects.ts";
import type { Target } from "../request/matched-request.ts";
import { RequestAuthorizer } from "../request/request-authorizer.ts";
import { versionedObjects } from "../request/versioned-objects.ts";

/** Common fields of both kinds of webhooks. */
export type WebhookSpec = ValidatingWebhook & Pick<MutatingWebhook, "reinvocationPolicy">;

/** A webhook of a configuration, ready to be matched against requests. */
export class Webhook {
  readonly spec: WebhookSpec;
  readonly configuration: string;
  /** Unique id. */
  readonly uid: string;
  readonly #namespaces: Selector;
  readonly #objects: Selector;
  #conditions: MatchConditions | undefined;

  constructor(spec: WebhookSpec, configuration: string, uid: string) {
    this.spec = spec;
    this.configuration = configuration;
    this.uid = uid;
    this.#namespaces = selectorOf(spec.namespaceSelector);
    this.#objects = selectorOf(spec.objectSelector);
  }

  get name(): string {
    return this.spec.name;
  }

  get ignoresFailures(): boolean {
    return this.spec.failurePolicy === "Ignore";
  }

  /** Whether its selectors and conditions match a request that its rules match. Throws if that can't be decided. */
  async wants(
    attributes: Attributes,
    target: Target,
    type: HookType,
    services: PluginServices,
  ): Promise<boolean> {
    if (!objectMatches(this.#objects, attributes)) return false;
    if (!(await namespaceMatches(this.#namespaces, attributes, services.registry))) return false;
    this.#conditions ??= new MatchConditions(this.spec.matchConditions ?? []);
    if (this.#conditions.isEmpty) return true;
    const startMs = services.clock.monotonicMs();
    const result = await matched(this.#conditions, attributes, target, services);
    const outcome = "error" in result ? "fails" : result.matches ? "matches" : "excludes";
    const hook = { name: this.name, type, operation: attributes.operation };
    services.metrics.conditionsSeen(hook, outcome, startMs);
    if ("matches" in result) return result.matches;
    if (this.ignoresFailures) return false;
    throw forbidden(attributes.resource, attributes.name, result.error);
  }
}

async function matched(
  conditions: MatchConditions,
  attributes: Attributes,
  target: Target,
  { registry, authorizer }: PluginServices,
): Promise<MatchResult> {
  const { object, oldObject } = await versionedObjects(registry, attributes, target);
  const asked = new RequestAuthorizer(authorizer, attributes);
  const request = describeRequest(attributes, target);
  const bindings = {
    object: object ?? null,
    oldObject: oldObject ?? null,
    request: { ...request, object: null, oldObject: null },
    namespaceObject: null,
    authorizer: asked.value,
    requestResource: asked.requestResource,
  };
  return asked.evaluate(() => conditions.match(bindings));
}
