import type { SelectedContext } from "#/client/kubeconfig/select-context.ts";
import { pageServer } from "./page-kubeconfig.ts";

/** How kubectl reaches the API server from a page: as the page does. */
export interface PageConnection {
  /** Headers of each request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Limit of short requests (ms). */
  readonly timeoutMs: number;
}

/** As kubectl's own limit (ms). */
const usualTimeoutMs = 90_000;

/** Settings of a kubeconfig that a page cannot have: its credentials are those of the console. */
const refused = [
  "token",
  "tokenFile",
  "username",
  "password",
  "client-certificate",
  "client-certificate-data",
  "client-key",
  "client-key-data",
  "exec",
  "auth-provider",
] as const;

/** The connection of a context. What a page cannot do is refused, and never left out. */
export function connectionOptions(
  { cluster, user }: Pick<SelectedContext, "cluster" | "user">,
  { timeoutMs }: { readonly timeoutMs?: number } = {},
): PageConnection {
  if (cluster.server !== pageServer) {
    throw new Error("this terminal reaches the server of the console only: leave out --server");
  }
  const given = refused.find((name) => user[name]);
  if (given !== undefined) {
    throw new Error(`this terminal has the credentials of the console: leave out ${given}`);
  }
  return { headers: impersonation(user), timeoutMs: timeoutMs ?? usualTimeoutMs };
}

function impersonation(user: SelectedContext["user"]): Record<string, string> {
  const groups = user["as-groups"] ?? [];
  if (groups.length > 1 || user["as-user-extra"]) {
    throw new Error("a page can impersonate a user with one group, and no more");
  }
  return {
    ...(user.as ? { "impersonate-user": user.as } : {}),
    ...(user["as-uid"] ? { "impersonate-uid": user["as-uid"] } : {}),
    ...(groups[0] ? { "impersonate-group": groups[0] } : {}),
  };
}

/** The page has credentials already. */
export const canIdentify = (): boolean => true;
