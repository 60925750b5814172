import { nodes, pods, secrets, serviceAccounts } from "#/api/core/v1.ts";
import type { ObjectMeta } from "#/api/meta/v1.ts";
import { notFound } from "#/machinery/meta/status-error.ts";
import { parseTime } from "#/machinery/time/time.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { UserInfo } from "../../model/exchange.ts";
import type { ResourceName } from "../../model/resource-name.ts";
import type { Notes, TokenAnswer, TokenAuthenticator } from "../../model/token-services.ts";
import type { Store } from "../../registry/store.ts";
import type { TokenMetrics } from "../base/token-metrics.ts";
import { matchAudiences } from "./audiences.ts";
import {
  type ClaimedObject,
  type KubernetesClaims,
  kubernetesClaims,
  type StandardClaims,
  standardClaims,
} from "./claims.ts";
import { serviceAccountGroups, serviceAccountUserName } from "./user-name.ts";
import type { VerifiedTokens } from "./verified-tokens.ts";

/** Limit of the difference between clocks (s). */
const leewayMs = 60_000;
const invalidated = "service account token has been invalidated";

interface BoundTokenOptions {
  readonly tokens: VerifiedTokens;
  readonly issuers: readonly string[];
  /** The audience of a token that names none. */
  readonly ownAudiences: readonly string[];
  readonly clock: Clock;
  readonly metrics: TokenMetrics;
  store(resource: ResourceName): Store;
}

/**
 * Tokens of TokenRequest: valid until they expire, or until the object they are bound to is deleted.
 *
 * Upstream: pkg/serviceaccount/jwt.go, pkg/serviceaccount/claims.go.
 */
export class BoundTokens implements TokenAuthenticator {
  readonly name = "service account";
  readonly #options: BoundTokenOptions;
  readonly #issuers: ReadonlySet<string>;

  constructor(options: BoundTokenOptions) {
    this.#options = options;
    this.#issuers = new Set(options.issuers);
  }

  async authenticateToken(
    token: string,
    wanted: readonly string[],
    notes: Notes,
  ): Promise<TokenAnswer | undefined> {
    const { tokens } = this.#options;
    await tokens.learnKey(token, this.#issuers);
    const claims = tokens.claims(token, this.#issuers);
    if (!claims) return undefined;
    const standard = standardClaims(claims);
    const { ownAudiences } = this.#options;
    const audiences = matchAudiences(standard, { wanted, own: ownAudiences }, notes);
    const kubernetes = kubernetesClaims(claims);
    this.#checkTimes(standard);
    await this.#checkObjects(kubernetes);
    this.#noteStale(standard, kubernetes, notes);
    return { user: userOf(standard, kubernetes), audiences };
  }

  #checkTimes({ expiry, notBefore, issuedAt }: StandardClaims): void {
    const now = this.#options.clock.now();
    if (notBefore !== undefined && now + leewayMs < notBefore * 1000) {
      throw new Error("service account token is not valid yet");
    }
    if (expiry !== undefined && now - leewayMs > expiry * 1000) {
      throw new Error("service account token has expired");
    }
    if (issuedAt !== undefined && now + leewayMs < issuedAt * 1000) {
      throw new Error("service account token is issued in the future");
    }
  }

  async #checkObjects(claims: KubernetesClaims): Promise<void> {
    const { namespace, serviceaccount, secret, pod, node, webhook } = claims;
    await this.#checkAccount(namespace, serviceaccount);
    if (secret) await this.#checkObject(secrets, namespace, secret, "secret");
    if (pod) await this.#checkObject(pods, namespace, pod, "pod");
    else if (node) await this.#checkObject(nodes, "", node, "node");
    if (webhook) {
      throw new Error(
        'feature gate "APIServerWebhookAuthenticationToken" is disabled, but token is webhook bound',
      );
    }
  }

  /** An object that another API server has just created may not be in the cache yet. */
  async #find(
    resource: ResourceName,
    namespace: string,
    name: string,
  ): Promise<ObjectMeta | undefined> {
    const store = this.#options.store(resource);
    const found = store.findCached(namespace, name) ?? (await store.find(namespace, name));
    return found?.parsed().metadata;
  }

  async #checkAccount(namespace: string, { name, uid }: ClaimedObject): Promise<void> {
    const meta = await this.#find(serviceAccounts, namespace, name);
    if (!meta) throw notFound(serviceAccounts, name);
    if (meta.uid !== uid) {
      throw new Error(`service account UID (${meta.uid}) does not match claim (${uid})`);
    }
    if (this.#isDeleted(meta)) {
      throw new Error(`service account ${namespace}/${name} has been deleted`);
    }
  }

  async #checkObject(
    resource: ResourceName,
    namespace: string,
    { name, uid }: ClaimedObject,
    kind: string,
  ): Promise<void> {
    const meta = await this.#find(resource, namespace, name);
    if (!meta) throw new Error(invalidated);
    if (meta.uid !== uid) {
      throw new Error(
        `${kind} UID (${meta.uid}) does not match service account ${kind} ref claim (${uid})`,
      );
    }
    if (this.#isDeleted(meta)) throw new Error(invalidated);
  }

  #isDeleted({ deletionTimestamp }: ObjectMeta): boolean {
    if (deletionTimestamp === undefined) return false;
    return parseTime(deletionTimestamp) < this.#options.clock.now() - leewayMs;
  }

  #noteStale(
    { subject }: StandardClaims,
    { warnAfter }: KubernetesClaims,
    { annotations }: Notes,
  ): void {
    const { clock, metrics } = this.#options;
    const now = Math.floor(clock.now() / 1000);
    if (warnAfter === undefined || now <= warnAfter) {
      metrics.valid.inc();
      return;
    }
    metrics.stale.inc();
    const text = `subject: ${subject}, seconds after warning threshold: ${now - warnAfter}`;
    annotations.set("authentication.k8s.io/stale-token", text);
  }
}

const extraPrefix = "authentication.kubernetes.io/";

function userOf({ id }: StandardClaims, claims: KubernetesClaims): UserInfo {
  const { namespace, serviceaccount, pod, node } = claims;
  const extra: Record<string, string[]> = {};
  const add = (key: string, value: string): void => {
    if (value !== "") extra[extraPrefix + key] = [value];
  };
  add("credential-id", id === "" ? "" : `JTI=${id}`);
  if (node && node.name !== "") {
    add("node-name", node.name);
    add("node-uid", node.uid);
  }
  if (pod && pod.name !== "" && pod.uid !== "") {
    add("pod-name", pod.name);
    add("pod-uid", pod.uid);
  }
  return {
    name: serviceAccountUserName(namespace, serviceaccount.name),
    uid: serviceaccount.uid,
    groups: serviceAccountGroups(namespace),
    ...(Object.keys(extra).length > 0 ? { extra } : {}),
  };
}
