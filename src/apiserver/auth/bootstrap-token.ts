import type { Secret } from "#/api/core/v1.ts";
import {
  bootstrapTokenType,
  tokenExpiresInMs,
  tokenField,
} from "#/machinery/component/bootstrap-token.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { TokenAuthenticator } from "../model/token-services.ts";
import type { Store } from "../registry/store.ts";
import { sameSecret } from "./base/token-digest.ts";

const form = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const extraGroup = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;

/**
 * Tokens for joining nodes, stored in Secrets of kube-system.
 *
 * Upstream: plugin/pkg/auth/authenticator/token/bootstrap/bootstrap.go,
 * staging/src/k8s.io/cluster-bootstrap/util/secrets/secrets.go.
 */
export function bootstrapTokens(secrets: Store, clock: Clock): TokenAuthenticator {
  return {
    name: "bootstrap token",
    authenticateToken(token) {
      const [, id, secret] = form.exec(token) ?? [];
      if (id === undefined || secret === undefined) return undefined;
      const found = secrets.findCached("kube-system", `bootstrap-token-${id}`);
      const groups = found && groupsOf(found.parsed() as Secret, id, secret, clock.now());
      return groups && { user: { name: `system:bootstrap:${id}`, groups } };
    },
  };
}

/** The groups of a token with a valid Secret; undefined if there is none. */
function groupsOf(object: Secret, id: string, secret: string, now: number): string[] | undefined {
  const value = (key: string): string => tokenField(object, key);
  if (object.metadata.deletionTimestamp !== undefined) return undefined;
  if (object.type !== bootstrapTokenType) return undefined;
  if (!sameSecret(value("token-secret"), secret) || value("token-id") !== id) return undefined;
  if (tokenExpiresInMs(object, now) === 0) return undefined;
  if (value("usage-bootstrap-authentication") !== "true") return undefined;
  const groups = value("auth-extra-groups");
  const extra = groups === "" ? [] : groups.split(",");
  if (extra.some((group) => !extraGroup.test(group))) return undefined;
  return [...new Set(["system:bootstrappers", ...extra])].sort();
}
