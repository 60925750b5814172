import type { TokenReviewStatus } from "#/api/authentication/v1.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { TokenAnswer, TokenAuthenticator } from "../../model/token-services.ts";
import { fromApiUser } from "../../model/user-info.ts";
import type { WebhookClient } from "../../outgoing/webhook-client.ts";
import { ExpiringCache } from "../base/expiring-cache.ts";
import { tokenDigest } from "../base/token-digest.ts";

/** Limit of cached results (count). */
const cacheEntries = 4096;

interface WebhookTokenOptions {
  readonly client: Pick<WebhookClient, "post">;
  /** "v1" or "v1beta1". */
  readonly version: string;
  readonly ownAudiences: readonly string[];
  readonly ttlMs: number;
  readonly clock: Clock;
}

/**
 * Authenticates tokens by a webhook.
 * Upstream: staging/src/k8s.io/apiserver/plugin/pkg/authenticator/token/webhook/webhook.go.
 */
export class WebhookTokens implements TokenAuthenticator {
  readonly name = "webhook";
  readonly #options: WebhookTokenOptions;
  /** By digest: tokens are not kept. */
  readonly #cache: ExpiringCache<TokenReviewStatus>;

  constructor(options: WebhookTokenOptions) {
    this.#options = options;
    this.#cache = new ExpiringCache(cacheEntries, options.clock);
  }

  async authenticateToken(
    token: string,
    wanted: readonly string[],
  ): Promise<TokenAnswer | undefined> {
    const status = await this.#status(token, wanted);
    const named = status.audiences ?? [];
    const got = named.length > 0 ? named : this.#options.ownAudiences;
    const audiences = wanted.filter((audience) => got.includes(audience));
    if (wanted.length > 0 && audiences.length === 0) return undefined;
    if (status.authenticated) return { user: fromApiUser(status.user ?? {}), audiences };
    if (status.error) throw new Error(status.error);
    return undefined;
  }

  async #status(token: string, wanted: readonly string[]): Promise<TokenReviewStatus> {
    const { client, version, ttlMs } = this.#options;
    const key = `${tokenDigest(token)} ${JSON.stringify(wanted)}`;
    const known = this.#cache.get(key);
    if (known) return known;
    const answer = (await client.post({
      kind: "TokenReview",
      apiVersion: `authentication.k8s.io/${version}`,
      metadata: {},
      spec: { token, ...(wanted.length > 0 ? { audiences: wanted } : {}) },
      status: { user: {} },
    })) as { status?: TokenReviewStatus };
    const status = answer?.status ?? {};
    this.#cache.set(key, status, ttlMs);
    return status;
  }
}
