import type {
  ResourceAttributes,
  SubjectAccessReviewSpec,
  SubjectAccessReviewStatus,
} from "#/api/authorization/v1.ts";
import type { FieldSelectorRequirement, LabelSelectorRequirement } from "#/api/meta/v1.ts";
import { parseFieldSelector } from "#/machinery/meta/fields.ts";
import { parseSelector } from "#/machinery/meta/label-parser.ts";
import { toLabelSelector } from "#/machinery/meta/label-selector.ts";
import { logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Attributes, Authorizer, Decision, KnownRules } from "../../model/authorizer.ts";
import { type WebhookClient, WebhookTimeout } from "../../outgoing/webhook-client.ts";
import type { AuthorizationMetrics } from "../base/authorization-metrics.ts";
import { ExpiringCache } from "../base/expiring-cache.ts";

const log = logger("webhook-authorizer");
/** Limit of cached decisions (count). */
const cacheEntries = 8192;
/** Limit of the text of a cached request (characters): clients could fill the memory. */
const maxCachedLength = 10_000;

interface WebhookAuthorizerOptions {
  readonly name: string;
  readonly client: Pick<WebhookClient, "post">;
  /** "v1" or "v1beta1". */
  readonly version: string;
  readonly authorizedTtlMs: number;
  readonly unauthorizedTtlMs: number;
  readonly onFailure: "deny" | "no-opinion";
  readonly clock: Clock;
  readonly metrics: AuthorizationMetrics;
  /** Whether the webhook is to be called; an exception counts as a failure. */
  readonly matches?: (spec: SubjectAccessReviewSpec) => boolean;
}

/** Authorizes by a webhook. Upstream: staging/src/k8s.io/apiserver/plugin/pkg/authorizer/webhook/webhook.go. */
export class WebhookAuthorizer implements Authorizer {
  readonly name: string;
  readonly #options: WebhookAuthorizerOptions;
  readonly #cache: ExpiringCache<SubjectAccessReviewStatus>;

  constructor(options: WebhookAuthorizerOptions) {
    this.name = options.name;
    this.#options = options;
    this.#cache = new ExpiringCache(cacheEntries, options.clock);
  }

  async authorize(attributes: Attributes): Promise<Decision> {
    const spec = specOf(attributes);
    try {
      if (!this.#isConcerned(spec)) return { decision: "no-opinion", reason: "" };
      return decide(await this.#status(spec, attributes));
    } catch (error) {
      log.error(error, "Failed to make webhook authorizer request", { name: this.name });
      return { decision: this.#options.onFailure, reason: "", error: error as Error };
    }
  }

  #isConcerned(spec: SubjectAccessReviewSpec): boolean {
    const { matches, metrics, clock } = this.#options;
    if (!matches) return true;
    const startMs = clock.monotonicMs();
    let outcome: "matches" | "excludes" | "fails" = "fails";
    try {
      outcome = matches(spec) ? "matches" : "excludes";
      return outcome === "matches";
    } finally {
      metrics.conditionsSeen(this.name, outcome, startMs);
    }
  }

  rulesFor(): KnownRules {
    const error = "webhook authorizer does not support user rule resolution";
    return { rules: [], incomplete: true, errors: [error] };
  }

  async #status(
    spec: SubjectAccessReviewSpec,
    attributes: Attributes,
  ): Promise<SubjectAccessReviewStatus> {
    const { version, authorizedTtlMs, unauthorizedTtlMs } = this.#options;
    const key = JSON.stringify(spec);
    const known = this.#cache.get(key);
    if (known) return known;
    const { groups, ...rest } = spec;
    const sent = version === "v1beta1" ? { ...rest, ...(groups ? { group: groups } : {}) } : spec;
    const apiVersion = `authorization.k8s.io/${version}`;
    const review = { kind: "SubjectAccessReview", apiVersion, metadata: {}, spec: sent };
    const answer = await this.#post({ ...review, status: { allowed: false } });
    const status = answer?.status ?? { allowed: false };
    if (lengthOf(attributes) < maxCachedLength) {
      this.#cache.set(key, status, status.allowed ? authorizedTtlMs : unauthorizedTtlMs);
    }
    return status;
  }

  async #post(review: object): Promise<{ readonly status?: SubjectAccessReviewStatus }> {
    const { client, clock, metrics, onFailure } = this.#options;
    const startMs = clock.monotonicMs();
    try {
      const answer = await client.post(review);
      metrics.called(this.name, "success", startMs);
      return answer as { status?: SubjectAccessReviewStatus };
    } catch (error) {
      const result = error instanceof WebhookTimeout ? "timeout" : "error";
      metrics.called(this.name, result, startMs);
      if (onFailure === "no-opinion") metrics.failedOpen(this.name, result);
      throw error;
    }
  }
}

function decide({ allowed, denied, reason = "" }: SubjectAccessReviewStatus): Decision {
  if (denied === true && allowed === true) {
    const text = "webhook subject access review returned both allow and deny response";
    return { decision: "deny", reason, error: new Error(text) };
  }
  if (denied === true) return { decision: "deny", reason };
  return { decision: allowed === true ? "allow" : "no-opinion", reason };
}

function lengthOf(attributes: Attributes): number {
  const { namespace, verb, apiGroup, apiVersion, resource, subresource, name, path } = attributes;
  return [namespace, verb, apiGroup, apiVersion, resource, subresource, name, path].join("").length;
}

/** The request attributes as a SubjectAccessReview spec. */
function specOf(attributes: Attributes): SubjectAccessReviewSpec {
  const { user, isResourceRequest, path, verb } = attributes;
  const what = isResourceRequest
    ? { resourceAttributes: resourceAttributesOf(attributes) }
    : { nonResourceAttributes: filled({ path, verb }) };
  const extra = Object.entries(user.extra ?? {}).map(([key, values]) => [key, [...values]]);
  return {
    ...what,
    ...filled({ user: user.name }),
    ...(user.groups.length > 0 ? { groups: [...user.groups] } : {}),
    ...(extra.length > 0 ? { extra: Object.fromEntries(extra) } : {}),
    ...filled({ uid: user.uid ?? "" }),
  };
}

function resourceAttributesOf(attributes: Attributes): ResourceAttributes {
  const { namespace, verb, apiGroup, apiVersion, resource, subresource, name } = attributes;
  const fields = fieldRequirements(attributes.fieldSelector);
  const labels = labelRequirements(attributes.labelSelector);
  return {
    ...filled({
      namespace,
      verb,
      group: apiGroup,
      version: apiVersion,
      resource,
      subresource,
      name,
    }),
    ...(fields.length > 0 ? { fieldSelector: { requirements: fields } } : {}),
    ...(labels.length > 0 ? { labelSelector: { requirements: labels } } : {}),
  };
}

function filled<T extends Readonly<Record<string, string>>>(fields: T): Partial<T> {
  const entries = Object.entries(fields).filter(([, value]) => value !== "");
  return Object.fromEntries(entries) as Partial<T>;
}

function fieldRequirements(text: string): FieldSelectorRequirement[] {
  if (text === "") return [];
  try {
    return parseFieldSelector(text).requirements.map(({ field, operator, value }) => ({
      key: field,
      operator: operator === "!=" ? "NotIn" : "In",
      values: [value],
    }));
  } catch {
    return []; // An invalid selector limits nothing.
  }
}

function labelRequirements(text: string): LabelSelectorRequirement[] {
  if (text === "") return [];
  try {
    const { matchLabels, matchExpressions } = toLabelSelector(parseSelector(text));
    const equal = Object.entries(matchLabels).map(([key, value]) => ({
      key,
      operator: "In",
      values: [value],
    }));
    return [...equal, ...matchExpressions];
  } catch {
    return []; // An invalid selector limits nothing.
  }
}
