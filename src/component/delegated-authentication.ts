/**
 * Upstream: staging/src/k8s.io/apiserver/pkg/authentication/authenticatorfactory/delegating.go and
 * staging/src/k8s.io/apiserver/pkg/authentication/group/authenticated_group_adder.go.
 */
import { tokenReviews } from "#/api/authentication/v1.ts";
import type { Client } from "#/client/client.ts";
import { unauthorized } from "#/machinery/meta/status-error.ts";
import { LruMap } from "#/std/memory/lru-map.ts";
import { type Clock, systemClock } from "#/std/time/clock.ts";
import { type Certificate, readCertificate } from "#/std/x509/certificate.ts";
import { commonNameOf, organizationsOf } from "#/std/x509/subject.ts";
import { verifyChain } from "#/std/x509/verify-chain.ts";
import { type FrontProxy, forwardedUser, type HeaderValues } from "./front-proxy.ts";

/** The authenticated user of a request. */
export interface AuthenticatedUser {
  readonly name: string;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** The credentials of a request. */
interface Proof {
  /** The Authorization header. */
  readonly authorization?: string | undefined;
  /** DER of the client certificates of the TLS connection, the client's own first. */
  readonly certificates: readonly Uint8Array[];
  /** All headers, if users may come through a front proxy. */
  readonly headers?: HeaderValues | undefined;
}

interface DelegatedAuthenticationOptions {
  /** Reviews tokens. */
  readonly client: Client;
  /** The current client CA certificates; undefined if certificates are not accepted. */
  readonly clientAuthorities?: () => readonly Certificate[] | undefined;
  /** The current front proxy; undefined if there is none. */
  readonly frontProxy?: (() => FrontProxy | undefined) | undefined;
  /** Whether a request without credentials is system:anonymous; default true. */
  readonly anonymous?: boolean;
  /** How long token reviews are cached; default 10 s. */
  readonly cacheTtlMs?: number;
  readonly audiences?: readonly string[];
  readonly clock?: Clock;
}

const anonymousUser: AuthenticatedUser = {
  name: "system:anonymous",
  groups: ["system:unauthenticated"],
};
const authenticatedGroup = "system:authenticated";

/** The user with the group of all that are authenticated: a proxy need not name it. */
function authenticated(user: AuthenticatedUser): AuthenticatedUser {
  const { name, groups } = user;
  const settled = [authenticatedGroup, ...anonymousUser.groups];
  if (name === anonymousUser.name || groups.some((group) => settled.includes(group))) return user;
  return { ...user, groups: [...groups, authenticatedGroup] };
}

/** Limit of cached token reviews. */
const maxTokens = 4096;

interface Answer {
  readonly user: AuthenticatedUser | undefined;
  readonly untilMs: number;
}

/** Authenticates clients: by certificate, or by a TokenReview. */
export class DelegatedAuthentication {
  readonly #options: DelegatedAuthenticationOptions;
  readonly #clock: Clock;
  readonly #answers = new LruMap<string, Promise<Answer>>(maxTokens);

  constructor(options: DelegatedAuthenticationOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** The user; throws a 401 StatusError for missing or invalid credentials. */
  async authenticate(proof: Proof): Promise<AuthenticatedUser> {
    const { authorization = "", certificates } = proof;
    const forwarded = this.#byFrontProxy(proof);
    if (forwarded !== "refused" && forwarded) return authenticated(forwarded);
    const certified = this.#byCertificate(certificates);
    if (certified) return certified;
    const token = /^bearer +(\S+)/i.exec(authorization)?.[1];
    if (token !== undefined) {
      const user = await this.#byToken(token);
      if (user) return authenticated(user);
      throw unauthorized("Unauthorized");
    }
    if (forwarded === "refused" || this.#options.anonymous === false)
      throw unauthorized("Unauthorized");
    return anonymousUser;
  }

  /** Refused is a proxy that is not an allowed one; its certificate may still be that of a client. */
  #byFrontProxy({ certificates, headers }: Proof): AuthenticatedUser | "refused" | undefined {
    const proxy = headers && certificates.length > 0 && this.#options.frontProxy?.();
    if (!proxy) return undefined;
    try {
      return forwardedUser(proxy, certificates.map(readCertificate), headers, this.#clock.now());
    } catch {
      return "refused";
    }
  }

  #byCertificate(certificates: readonly Uint8Array[]): AuthenticatedUser | undefined {
    const roots = this.#options.clientAuthorities?.();
    if (!roots || certificates.length === 0) return undefined;
    let chain: Certificate[];
    try {
      chain = certificates.map(readCertificate);
      verifyChain(chain, roots, { now: this.#clock.now(), purpose: "client auth" });
    } catch {
      throw unauthorized("Unauthorized");
    }
    const subject = chain[0]?.subject ?? [];
    const name = commonNameOf(subject);
    if (name === "") return undefined;
    return authenticated({ name, groups: organizationsOf(subject) });
  }

  async #byToken(token: string): Promise<AuthenticatedUser | undefined> {
    const known = await this.#answers.get(token);
    if (known && this.#clock.monotonicMs() < known.untilMs) return known.user;
    const asked = this.#review(token);
    this.#answers.set(token, asked);
    asked.catch(() => this.#answers.delete(token));
    return (await asked).user;
  }

  async #review(token: string): Promise<Answer> {
    const { client, audiences, cacheTtlMs = 10_000 } = this.#options;
    const spec = { token, ...(audiences ? { audiences: [...audiences] } : {}) };
    const { status } = await client.create(tokenReviews, { metadata: {}, spec });
    const { username = "", uid, groups = [], extra } = status?.user ?? {};
    const untilMs = this.#clock.monotonicMs() + cacheTtlMs;
    if (!status?.authenticated) return { user: undefined, untilMs };
    return { user: { name: username, uid, groups, extra }, untilMs };
  }
}
