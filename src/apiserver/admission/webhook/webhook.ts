import type { MutatingWebhook, ValidatingWebhook } from "#/api/admissionregistration/v1.ts";
import type { Selector } from "#/machinery/labels.ts";
import { forbidden } from "#/machinery/status-error.ts";
import type { Authorizer } from "../../auth/authorizer.ts";
import type { Registry } from "../../registry/registry.ts";
import type { Attributes } from "../admission.ts";
import { describeRequest } from "../request/admission-request.ts";
import { MatchConditions } from "../request/match-conditions.ts";
import { namespaceMatches, objectMatches, selectorOf } from "../request/matched-objects.ts";
import type { Target } from "../request/matched-request.ts";
import { RequestAuthorizer } from "../request/request-authorizer.ts";
import { versionedObjects } from "../request/versioned-objects.ts";

/** What both kinds of webhooks say in their configuration. */
export type WebhookSpec = ValidatingWebhook & Pick<MutatingWebhook, "reinvocationPolicy">;

/** A webhook of a configuration, ready to be matched against requests. */
export class Webhook {
  readonly spec: WebhookSpec;
  readonly configuration: string;
  /** Tells it apart from all others. */
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

  /** Whether it wants to be asked about a request that its rules are about. Throws if that can't be told. */
  async wants(
    attributes: Attributes,
    target: Target,
    { registry, authorizer }: { readonly registry: Registry; readonly authorizer: Authorizer },
  ): Promise<boolean> {
    if (!objectMatches(this.#objects, attributes)) return false;
    if (!(await namespaceMatches(this.#namespaces, attributes, registry))) return false;
    this.#conditions ??= new MatchConditions(this.spec.matchConditions ?? []);
    if (this.#conditions.isEmpty) return true;
    return this.#conditionsHold(this.#conditions, attributes, target, { registry, authorizer });
  }

  async #conditionsHold(
    conditions: MatchConditions,
    attributes: Attributes,
    target: Target,
    services: { readonly registry: Registry; readonly authorizer: Authorizer },
  ): Promise<boolean> {
    const { object, oldObject } = await versionedObjects(services.registry, attributes, target);
    const asked = new RequestAuthorizer(services.authorizer, attributes);
    const described = { ...target, kind: target.kind };
    const request = describeRequest(attributes, described);
    const bindings = {
      object: object ?? null,
      oldObject: oldObject ?? null,
      request: { ...request, object: null, oldObject: null },
      namespaceObject: null,
      authorizer: asked.value,
      requestResource: asked.requestResource,
    };
    const result = await asked.evaluate(() => conditions.match(bindings));
    if ("matches" in result) return result.matches;
    if (this.ignoresFailures) return false;
    throw forbidden(attributes.resource, attributes.name, result.error);
  }
}
