import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "#/api/rbac/v1.ts";

/** The roles and bindings that every cluster starts with. */
export interface BootstrapPolicy {
  readonly clusterroles: readonly ClusterRole[];
  readonly clusterrolebindings: readonly ClusterRoleBinding[];
  readonly roles: readonly Role[];
  readonly rolebindings: readonly RoleBinding[];
}

/**
 * Reads the policy, with the feature gates at their defaults, as recorded from the real server.
 *
 * Upstream: plugin/pkg/auth/authorizer/rbac/bootstrappolicy.
 */
export function readBootstrapPolicy(): BootstrapPolicy {
  const file = join(import.meta.dirname, "bootstrap-policy.json");
  return JSON.parse(readFileSync(file, "utf8")) as BootstrapPolicy;
}
