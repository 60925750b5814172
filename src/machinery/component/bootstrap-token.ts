/** Upstream: cluster-bootstrap/token/api/types.go, cluster-bootstrap/util/secrets/secrets.go. */
import type { Secret } from "#/api/core/v1.ts";
import { parseTime } from "../time/time.ts";

/** The type of the secrets that hold tokens for joining nodes. */
export const bootstrapTokenType = "bootstrap.kubernetes.io/token";

/** A value of such a secret; empty if it isn't there. */
export const tokenField = ({ data }: Secret, key: string): string =>
  Buffer.from(data?.[key] ?? "", "base64").toString("utf8");

/** How long a token is still good for; undefined for ever. A time that can't be read has passed. */
export function tokenExpiresInMs(secret: Secret, nowMs: number): number | undefined {
  const expiration = tokenField(secret, "expiration");
  if (expiration === "") return undefined;
  try {
    return Math.max(0, parseTime(expiration) - nowMs);
  } catch {
    return 0;
  }
}
