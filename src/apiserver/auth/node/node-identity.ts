import type { UserInfo } from "../../model/exchange.ts";

const prefix = "system:node:";

/**
 * The name of the node that a user is the kubelet of, possibly empty; undefined for all other users.
 *
 * Upstream: pkg/auth/nodeidentifier/default.go.
 */
export function nodeIdentity({ name, groups }: UserInfo): string | undefined {
  return name.startsWith(prefix) && groups.includes("system:nodes")
    ? name.slice(prefix.length)
    : undefined;
}
