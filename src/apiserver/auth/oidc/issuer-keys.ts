import { createPublicKey, type KeyObject, type webcrypto } from "node:crypto";
import { get } from "node:https";
import { logger } from "#/std/log/log.ts";
import { memoByIdentity } from "#/std/memory/memo.ts";
import type { Clock } from "#/std/time/clock.ts";
import { trustOf } from "#/std/tls/trust.ts";
import { TrustingAgent } from "#/std/tls/trusting-agent.ts";

const log = logger("oidc");
const maxAnswerBytes = 1024 * 1024;
const timeoutMs = 30_000;
/** Retry interval for an issuer that could not be reached. */
const retryMs = 10_000;
/** Minimum interval between fetches of keys because of an unknown key id. */
const refreshMs = 5_000;

/** Limit of an issuer's keys (count): a token without a key id is compared with each of them. */
const maxKeys = 100;

type SentKey = webcrypto.JsonWebKey & { readonly kid?: unknown };

interface WebKey {
  readonly kid: string | undefined;
  readonly jwk: webcrypto.JsonWebKey;
}

interface IssuerKeysOptions {
  readonly issuer: string;
  /** URL of the discovery document, if it is not below the issuer's URL. */
  readonly discoveryUrl?: string;
  readonly certificateAuthority?: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** The keys of an OpenID Connect issuer: found by discovery, and fetched again for an unknown key id. */
export class IssuerKeys {
  readonly #options: IssuerKeysOptions;
  readonly #agent: TrustingAgent;
  #jwksUri: string | undefined;
  #keys: readonly WebKey[] = [];
  #fetchedMs = Number.NEGATIVE_INFINITY;
  #fetching: Promise<void> | undefined;

  constructor(options: IssuerKeysOptions) {
    this.#options = options;
    const ca = options.certificateAuthority;
    this.#agent = new TrustingAgent({ keepAlive: true, ...(ca ? { trust: trustOf(ca) } : {}) });
    options.signal.addEventListener("abort", () => this.#agent.destroy(), { once: true });
  }

  /** Whether discovery has succeeded. */
  get isReady(): boolean {
    return this.#jwksUri !== undefined;
  }

  /** Retries discovery until it succeeds. */
  async run(): Promise<void> {
    const { clock, signal } = this.#options;
    while (!this.isReady && !signal.aborted) {
      try {
        await this.#discover();
      } catch (error) {
        log.error(error, "failed to discover the issuer", { issuer: this.#options.issuer });
        await clock.sleep(retryMs, signal).catch(() => undefined);
      }
    }
  }

  async #discover(): Promise<void> {
    const { issuer, discoveryUrl } = this.#options;
    const url = discoveryUrl ?? `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
    const found = (await this.#getJson(url)) as { issuer?: unknown; jwks_uri?: unknown } | null;
    if (found?.issuer !== issuer) {
      throw new Error(
        `oidc: issuer did not match the issuer returned by provider, expected "${issuer}" got "${found?.issuer}"`,
      );
    }
    if (typeof found.jwks_uri !== "string" || !found.jwks_uri.startsWith("https://"))
      throw new Error("oidc: jwks_uri must be https");
    this.#jwksUri = found.jwks_uri;
  }

  /** The keys that a token with this key id may be signed with. */
  async find(kid: string | undefined): Promise<readonly KeyObject[]> {
    const known = this.#matching(kid);
    if (known.length > 0) return known;
    await this.#refresh();
    return this.#matching(kid);
  }

  #matching(kid: string | undefined): KeyObject[] {
    return this.#keys
      .filter((key) => kid === undefined || key.kid === kid)
      .flatMap(({ jwk }) => publicKeyOf(jwk) ?? []);
  }

  async #refresh(): Promise<void> {
    if (this.#fetching) return this.#fetching;
    const now = this.#options.clock.monotonicMs();
    if (this.#jwksUri === undefined || now - this.#fetchedMs < refreshMs) return;
    this.#fetchedMs = now;
    this.#fetching = this.#fetch(this.#jwksUri).finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #fetch(url: string): Promise<void> {
    const found = (await this.#getJson(url)) as { keys?: unknown } | null;
    if (!Array.isArray(found?.keys)) throw new Error("oidc: failed to decode keys");
    this.#keys = found.keys
      .filter((key): key is SentKey => typeof key === "object" && key !== null)
      .filter(({ use }) => use === undefined || use === "sig")
      .slice(0, maxKeys)
      .map(({ kid, ...jwk }) => ({ kid: typeof kid === "string" ? kid : undefined, jwk }));
  }

  async #getJson(url: string): Promise<unknown> {
    return JSON.parse(await this.getText(url));
  }

  /** Fetches a URL that the issuer, or another server it refers to, has named. */
  getText(url: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
    const signal = AbortSignal.any([this.#options.signal, AbortSignal.timeout(timeoutMs)]);
    return new Promise((resolve, reject) => {
      get(url, { agent: this.#agent, signal, headers }, async (response) => {
        try {
          const chunks: Buffer[] = [];
          let size = 0;
          for await (const chunk of response as AsyncIterable<Buffer>) {
            size += chunk.length;
            if (size > maxAnswerBytes) throw new Error(`${url}: the answer is too large`);
            chunks.push(chunk);
          }
          if (response.statusCode !== 200) throw new Error(`${url}: ${response.statusCode}`);
          resolve(Buffer.concat(chunks).toString("utf8"));
        } catch (error) {
          reject(error);
        }
      }).on("error", reject);
    });
  }
}

/** A key; undefined if its type is not supported. */
const publicKeyOf = memoByIdentity((jwk: webcrypto.JsonWebKey): KeyObject | undefined => {
  try {
    return createPublicKey({ key: jwk, format: "jwk" });
  } catch {
    return undefined;
  }
});
