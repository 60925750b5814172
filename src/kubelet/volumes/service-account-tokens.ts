/** Upstream: pkg/kubelet/token/token_manager.go. */
import type { TokenRequest, TokenRequestSpec } from "#/api/authentication/v1.ts";
import { serviceAccounts } from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import { parseTime } from "#/machinery/time/time.ts";
import { logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";

const log = logger("service-account-tokens");
/** Limit of the age of a token: it is then renewed. */
const maxAgeMs = 24 * 60 * 60_000;

export interface TokenSubject {
  readonly namespace: string;
  readonly serviceAccount: string;
  readonly podName: string;
  readonly podUID: string;
  readonly audience?: string | undefined;
  readonly expirationSeconds?: number | undefined;
}

/** Tokens of pods' service accounts, requested once and renewed after four fifths of their lifetime. */
export class ServiceAccountTokens {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #tokens = new Map<string, { podUID: string; request: TokenRequest }>();

  constructor(client: Client, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  async get(subject: TokenSubject): Promise<TokenRequest> {
    const key = JSON.stringify(subject);
    const held = this.#tokens.get(key)?.request;
    if (held !== undefined && this.#clock.now() < this.#refreshAt(held)) return held;
    try {
      const request = await this.#ask(subject);
      this.#tokens.set(key, { podUID: subject.podUID, request });
      return request;
    } catch (error) {
      if (held === undefined || this.#clock.now() >= expiryOf(held)) {
        throw new Error(`failed to fetch token: ${(error as Error).message}`, { cause: error });
      }
      log.error(error, "Couldn't update token", { pod: subject.podName });
      return held;
    }
  }

  /** When the first token of a pod has to be renewed; undefined if it has none. */
  nextRefresh(podUID: string): number | undefined {
    const times = [...this.#tokens.values()]
      .filter((token) => token.podUID === podUID)
      .map(({ request }) => this.#refreshAt(request));
    return times.length === 0 ? undefined : Math.min(...times);
  }

  forget(podUID: string): void {
    for (const [key, token] of this.#tokens) {
      if (token.podUID === podUID) this.#tokens.delete(key);
    }
  }

  #ask({ namespace, serviceAccount, ...subject }: TokenSubject): Promise<TokenRequest> {
    const spec: TokenRequestSpec = {
      audiences: subject.audience ? [subject.audience] : [],
      ...(subject.expirationSeconds !== undefined && {
        expirationSeconds: subject.expirationSeconds,
      }),
      boundObjectRef: {
        apiVersion: "v1",
        kind: "Pod",
        name: subject.podName,
        uid: subject.podUID,
      },
    };
    const body = {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      metadata: {},
      spec,
    };
    const ref = { namespace, name: serviceAccount };
    return this.#client.createSubresource(serviceAccounts, ref, "token", body);
  }

  #refreshAt(request: TokenRequest): number {
    const seconds = request.spec.expirationSeconds ?? 3600;
    const lifeMs = seconds * 1000;
    const issuedMs = expiryOf(request) - lifeMs;
    return Math.min(issuedMs + lifeMs * 0.8, issuedMs + maxAgeMs);
  }
}

function expiryOf({ status }: TokenRequest): number {
  return parseTime(status?.expirationTimestamp ?? "");
}
