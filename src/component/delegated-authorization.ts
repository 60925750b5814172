/**
 * Upstream: staging/src/k8s.io/apiserver/pkg/authorization/authorizerfactory/delegating.go,
 * plugin/pkg/authorizer/webhook/webhook.go.
 */
import {
  type NonResourceAttributes,
  type ResourceAttributes,
  subjectAccessReviews,
} from "#/api/authorization/v1.ts";
import type { Client } from "#/client/client.ts";
import { LruMap } from "#/std/memory/lru-map.ts";
import { type Clock, systemClock } from "#/std/time/clock.ts";
import type { AuthenticatedUser } from "./delegated-authentication.ts";

/** An action of a user: on a resource, or on a path. */
interface AccessAttributes {
  readonly user: AuthenticatedUser;
  readonly resource?: ResourceAttributes;
  readonly nonResource?: NonResourceAttributes;
}

interface Decision {
  readonly allowed: boolean;
  readonly reason: string;
}

interface DelegatedAuthorizationOptions {
  readonly client: Client;
  /** How long an allowed decision is cached; default 10 s. */
  readonly authorizedTtlMs?: number;
  /** How long a denied decision is cached; default 10 s. */
  readonly unauthorizedTtlMs?: number;
  readonly clock?: Clock;
}

/** Limit of cached decisions; upstream's. */
const maxAnswers = 8192;
/** Members of this group may do everything, without a review. */
const superusers = "system:masters";

/** Authorizes users by SubjectAccessReviews. */
export class DelegatedAuthorization {
  readonly #options: DelegatedAuthorizationOptions;
  readonly #clock: Clock;
  readonly #answers = new LruMap<string, { decision: Decision; untilMs: number }>(maxAnswers);

  constructor(options: DelegatedAuthorizationOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Throws if the review fails. */
  async authorize(attributes: AccessAttributes): Promise<Decision> {
    const { user, resource, nonResource } = attributes;
    if (user.groups.includes(superusers)) return { allowed: true, reason: "" };
    const key = JSON.stringify(attributes);
    const known = this.#answers.get(key);
    if (known && this.#clock.monotonicMs() < known.untilMs) return known.decision;
    const { client, authorizedTtlMs = 10_000, unauthorizedTtlMs = 10_000 } = this.#options;
    const { status } = await client.create(subjectAccessReviews, {
      metadata: {},
      spec: {
        user: user.name,
        groups: [...user.groups],
        ...(user.uid ? { uid: user.uid } : {}),
        ...(user.extra ? { extra: mutableExtra(user.extra) } : {}),
        ...(resource ? { resourceAttributes: resource } : {}),
        ...(nonResource ? { nonResourceAttributes: nonResource } : {}),
      },
    });
    const decision = { allowed: status?.allowed === true, reason: status?.reason ?? "" };
    const ttlMs = decision.allowed ? authorizedTtlMs : unauthorizedTtlMs;
    this.#answers.set(key, { decision, untilMs: this.#clock.monotonicMs() + ttlMs });
    return decision;
  }
}

function mutableExtra(extra: NonNullable<AuthenticatedUser["extra"]>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]]));
}
