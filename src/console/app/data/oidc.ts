import { browserClock } from "../base/browser-clock.ts";
import { setToken } from "../base/session.ts";
import { getJson } from "./api.ts";

/** How users log in at an OpenID provider, as the server's flags say. */
export interface ProviderLogin {
  readonly issuer: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
}

/** What a provider says about itself (OpenID Connect Discovery). */
interface Provider {
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
}

/** Tokens of a provider (RFC 6749); they are in the page's memory only. */
interface Tokens {
  readonly id_token?: string;
  readonly refresh_token?: string;
  readonly expires_in?: number;
  readonly error?: string;
  readonly error_description?: string;
}

/** What is kept while the user is at the provider: no secret of the user, and of no use for another page. */
interface Begun {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** The place in the console to come back to. */
  readonly hash: string;
}

const storageKey = "k8ts-console-login";
/** How long before its end a token is renewed (s), and the least time between two tokens. */
const renewEarlySeconds = 30;
const leastSeconds = 10;

/** How users log in at a provider; undefined if they enter a token. */
export async function findProviderLogin(): Promise<ProviderLogin | undefined> {
  const found = await getJson<Partial<ProviderLogin>>("/console/login").catch(() => undefined);
  return found?.clientId === undefined ? undefined : (found as ProviderLogin);
}

/** Leaves the page for the provider: authorization code with PKCE (RFC 7636). */
export async function goToProvider(login: ProviderLogin): Promise<void> {
  const provider = await readProvider(login);
  const begun: Begun = {
    ...{ state: randomText(), nonce: randomText(), verifier: randomText() },
    hash: location.hash,
  };
  sessionStorage.setItem(storageKey, JSON.stringify(begun));
  const url = new URL(provider.authorization_endpoint);
  const query = {
    ...{ response_type: "code", client_id: login.clientId, redirect_uri: ownAddress() },
    ...{ scope: login.scopes.join(" "), state: begun.state, nonce: begun.nonce },
    ...{ code_challenge_method: "S256", code_challenge: await challengeOf(begun.verifier) },
  };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  location.assign(url);
}

/** Ends a login if the page was opened by the provider: the code leaves the address, and becomes a token. */
export async function comeBackFromProvider(): Promise<void> {
  const query = new URLSearchParams(location.search);
  if (!query.has("state")) return;
  const text = sessionStorage.getItem(storageKey);
  sessionStorage.removeItem(storageKey);
  const begun = text === null ? undefined : (JSON.parse(text) as Begun);
  history.replaceState(null, "", `${location.pathname}${begun?.hash ?? ""}`);
  const code = query.get("code");
  if (begun === undefined || begun.state !== query.get("state") || code === null) {
    throw new Error(query.get("error_description") ?? query.get("error") ?? "");
  }
  const login = await findProviderLogin();
  if (!login) throw new Error("");
  const { token_endpoint: endpoint } = await readProvider(login);
  const tokens = await askTokens(endpoint, {
    ...{ grant_type: "authorization_code", code, redirect_uri: ownAddress() },
    ...{ client_id: login.clientId, code_verifier: begun.verifier },
  });
  if (claimsOf(tokens.id_token ?? "")["nonce"] !== begun.nonce) throw new Error("nonce");
  accept(tokens, endpoint, login);
}

/** Uses a token, and renews it before it ends if the provider permits that. */
function accept(tokens: Tokens, endpoint: string, login: ProviderLogin): void {
  const { id_token: token = "", refresh_token: refreshToken, expires_in: seconds } = tokens;
  setToken(token);
  if (!refreshToken || !seconds) return;
  const waitSeconds = Math.max(leastSeconds, seconds - renewEarlySeconds);
  browserClock.after(waitSeconds * 1000, () => {
    const form = { grant_type: "refresh_token", refresh_token: refreshToken };
    // The server refuses the old one once it has ended: then the user logs in again.
    void askTokens(endpoint, { ...form, client_id: login.clientId }).then(
      (renewed) => accept({ refresh_token: refreshToken, ...renewed }, endpoint, login),
      () => undefined,
    );
  });
}

async function readProvider({ issuer }: ProviderLogin): Promise<Provider> {
  const address = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const response = await fetch(address, { credentials: "omit" });
  if (!response.ok) throw new Error(`${address}: HTTP ${response.status}`);
  return (await response.json()) as Provider;
}

async function askTokens(
  endpoint: string,
  form: Readonly<Record<string, string>>,
): Promise<Tokens> {
  const body = new URLSearchParams(form);
  const response = await fetch(endpoint, { method: "POST", body, credentials: "omit" });
  const tokens = (await response.json()) as Tokens;
  if (response.ok && tokens.id_token !== undefined) return tokens;
  throw new Error(tokens.error_description ?? tokens.error ?? `HTTP ${response.status}`);
}

/** The claims of a token, which the API server verifies: here they only show that it is the answer to our question. */
function claimsOf(token: string): Readonly<Record<string, unknown>> {
  const [, payload = ""] = token.split(".");
  try {
    return JSON.parse(atob(payload.replaceAll("-", "+").replaceAll("_", "/")));
  } catch {
    return {};
  }
}

/** The address of the page, to which the provider sends the user back. */
const ownAddress = (): string => new URL(location.pathname, location.origin).href;

const randomText = (): string => base64Url(crypto.getRandomValues(new Uint8Array(32)));

async function challengeOf(verifier: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  return base64Url(new Uint8Array(digest));
}

const base64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
