/**
 * Upstream: staging/src/k8s.io/cluster-bootstrap/token/api/types.go,
 * staging/src/k8s.io/cluster-bootstrap/util/secrets/secrets.go.
 */
import type { Secret } from "#/api/core/v1.ts";
import { parseTime } from "../time/time.ts";

/** The type of secrets with bootstrap tokens, with which nodes join. */
export const bootstrapTokenType = "bootstrap.kubernetes.io/token";

/** A value of such a secret; "" if it is missing. */
export const tokenField = ({ data }: Secret, key: string): string =>
  Buffer.from(data?.[key] ?? "", "base64").toString("utf8");

/**
 * The time until a token expires (ms); undefined if it never does. An invalid time counts as past.
 */
export function tokenExpiresInMs(secret: Secret, nowMs: number): number | undefined {
  const expiration = tokenField(secret, "expiration");
  if (expiration === "") return undefined;
  try {
    return Math.max(0, parseTime(expiration) - nowMs);
  } catch {
    return 0;
  }
}
