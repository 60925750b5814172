/** Upstream: staging/src/k8s.io/client-go/plugin/pkg/client/auth/oidc/oidc.go. */
import { readFileSync } from "node:fs";
import type { MaybePromise } from "#/std/base/maybe-promise.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Credentials, TlsIdentity } from "../transport/credentials.ts";
import { HttpsTransport } from "../transport/https-transport.ts";
import type { ApiRequest, ApiResponse, Headers } from "../transport/transport.ts";
import { CredentialError } from "./credential-error.ts";

/** The settings of a provider. */
export type ProviderConfig = Readonly<Record<string, string>>;

/** Stores the changed settings of a provider. */
export type SaveTokens = (config: ProviderConfig) => Promise<void>;

interface ProviderOptions {
  readonly clock: Clock;
  readonly saveTokens?: SaveTokens | undefined;
}

/** The auth-provider field of a kubeconfig user. */
interface AuthProvider {
  readonly name?: string;
  readonly config?: ProviderConfig | null;
}

/** Messages for providers that upstream has removed. */
const removed: Readonly<Record<string, string>> = {
  azure:
    "Please use the https://github.com/Azure/kubelogin kubectl/client-go credential plugin instead.\nSee https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins for further details",
  gcp: 'Please use the "gke-gcloud-auth-plugin" kubectl/client-go credential plugin instead.\nSee https://cloud.google.com/blog/products/containers-kubernetes/kubectl-auth-changes-in-gke for further details',
};

/** The credentials of a provider by its name; oidc is the only one left. */
export function providerCredentials(
  provider: AuthProvider,
  base: Credentials,
  options: ProviderOptions,
): Credentials {
  const { name = "", config } = provider;
  if (name === "oidc") return new OidcCredentials(config ?? {}, base, options);
  const instead = removed[name];
  if (instead) throw new Error(`The ${name} auth plugin has been removed.\n${instead}`);
  throw new Error(`no Auth Provider found for name ${goQuote(name)}`);
}

/** Time before the expiry at which a token is renewed (ms). */
const earlyMs = 10_000;

/** An ID token of OpenID Connect, renewed when it expires. */
class OidcCredentials implements Credentials {
  readonly #base: Credentials;
  readonly #options: ProviderOptions;
  #config: ProviderConfig;
  #renewing: Promise<string> | undefined;

  constructor(config: ProviderConfig, base: Credentials, options: ProviderOptions) {
    for (const field of ["idp-issuer-url", "client-id"]) {
      if (!config[field]) throw new Error(`Must provide ${field}`);
    }
    this.#config = config;
    this.#base = base;
    this.#options = options;
  }

  async headers(): Promise<Headers> {
    const own = await this.#base.headers();
    if (own["authorization"] !== undefined) return own;
    return { ...own, authorization: `Bearer ${await this.#token()}` };
  }

  tls(): MaybePromise<TlsIdentity> {
    return this.#base.tls();
  }

  [Symbol.dispose](): void {
    this.#base[Symbol.dispose]();
  }

  async #token(): Promise<string> {
    const { "id-token": token } = this.#config;
    if (token && this.#options.clock.now() + earlyMs < expiryOf(token)) return token;
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #renew(): Promise<string> {
    const { "refresh-token": refresh } = this.#config;
    if (!refresh) {
      throw new CredentialError("No valid id-token, and cannot refresh without refresh-token");
    }
    const endpoint = await this.#tokenEndpoint();
    const answer = await this.#askForToken(endpoint, refresh);
    const { id_token: token, refresh_token: next } = answer;
    if (typeof token !== "string") {
      throw new CredentialError(
        "token response did not contain an id_token, either the scope \"openid\" wasn't requested upon login, or the provider doesn't support id_tokens as part of the refresh response",
      );
    }
    const renewed = {
      ...this.#config,
      ...(typeof next === "string" && next !== "" ? { "refresh-token": next } : {}),
      "id-token": token,
    };
    try {
      await this.#options.saveTokens?.(renewed);
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      throw new CredentialError(`could not persist new tokens: ${text}`, { cause: error });
    }
    this.#config = renewed;
    return token;
  }

  /** The token endpoint from the provider's discovery document. */
  async #tokenEndpoint(): Promise<URL> {
    const issuer = (this.#config["idp-issuer-url"] ?? "").replace(/\/$/, "");
    const url = new URL(`${issuer}/.well-known/openid-configuration`);
    const { status, body } = await this.#ask(url, { method: "GET" });
    if (status !== 200) {
      const text = typeof body === "string" ? body : JSON.stringify(body);
      const short = text.length > 80 ? `${text.slice(0, 80)}...` : text;
      throw new CredentialError(
        `oidc: failed to query metadata endpoint ${status}: ${goQuote(short)}`,
      );
    }
    const { token_endpoint: endpoint } = (body ?? {}) as { token_endpoint?: string };
    if (!endpoint) {
      throw new CredentialError("oidc: discovery object doesn't contain a token_endpoint");
    }
    return new URL(endpoint);
  }

  async #askForToken(endpoint: URL, refresh: string): Promise<Record<string, unknown>> {
    const { "client-id": id = "", "client-secret": secret = "" } = this.#config;
    const pair = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`;
    const form = new URLSearchParams({ grant_type: "refresh_token", refresh_token: refresh });
    const { status, body } = await this.#ask(endpoint, {
      method: "POST",
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        authorization: `Basic ${Buffer.from(pair).toString("base64")}`,
      },
      body: form.toString(),
    });
    if (status < 200 || status > 299) {
      const text = typeof body === "string" ? body : JSON.stringify(body);
      throw new CredentialError(
        `failed to refresh token: oauth2: cannot fetch token: ${status}\nResponse: ${text}`,
      );
    }
    return (body ?? {}) as Record<string, unknown>;
  }

  async #ask(url: URL, request: Omit<ApiRequest, "path">): Promise<ApiResponse> {
    const ca = authorityOf(this.#config);
    const identity: TlsIdentity = ca ? { ca } : {};
    await using transport = new HttpsTransport({
      server: url.origin,
      credentials: { headers: () => ({}), tls: () => identity, [Symbol.dispose]: () => undefined },
    });
    try {
      return await transport.request({ ...request, path: url.pathname, query: url.searchParams });
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      throw new CredentialError(text, { cause: error });
    }
  }
}

/** The CA certificates of the provider; undefined for the system's. */
function authorityOf(config: ProviderConfig): Buffer | undefined {
  const data = config["idp-certificate-authority-data"];
  if (data) return Buffer.from(data, "base64");
  const file = config["idp-certificate-authority"];
  return file ? readFileSync(file) : undefined;
}

/** The expiry of a token, in milliseconds since 1970. */
function expiryOf(token: string): number {
  const [, payload, ...rest] = token.split(".");
  if (payload === undefined || rest.length !== 1) {
    throw new CredentialError("ID Token is not a valid JWT");
  }
  try {
    const { exp = 0 } = JSON.parse(Buffer.from(payload, "base64url").toString()) as {
      exp?: number;
    };
    return exp * 1000;
  } catch (error) {
    throw new CredentialError(`parsing claims: ${(error as Error).message}`, { cause: error });
  }
}
