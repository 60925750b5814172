import type { ApiServerFlags } from "../flags/index.ts";
import type { Registry } from "../registry/registry.ts";
import type { Authorizer } from "./authorizer.ts";
import { alwaysAllow, alwaysDeny, privilegedGroup } from "./fixed-authorizers.ts";
import { RbacAuthorizer } from "./rbac/rbac-authorizer.ts";
import { rbacIndexOf } from "./rbac/rbac-index-of.ts";
import { UnionAuthorizer } from "./union-authorizer.ts";

/** The chain of authorizers that the flags ask for. Upstream: pkg/kubeapiserver/authorizer/reload.go. */
export async function openAuthorizer(
  flags: ApiServerFlags,
  registry: Registry,
): Promise<Authorizer> {
  const modes = flags["authorization-mode"];
  const named = modes.length > 0 ? modes : ["AlwaysAllow"];
  return new UnionAuthorizer([privilegedGroup, ...named.map((mode) => openMode(mode, registry))]);
}

function openMode(mode: string, registry: Registry): Authorizer {
  switch (mode) {
    case "AlwaysAllow":
      return alwaysAllow;
    case "AlwaysDeny":
      return alwaysDeny;
    case "RBAC":
      return new RbacAuthorizer(rbacIndexOf(registry));
    default:
      throw new Error(`authorization-mode ${JSON.stringify(mode)} is not a valid mode`);
  }
}
