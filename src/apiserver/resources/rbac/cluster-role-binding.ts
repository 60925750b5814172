import { clusterRoleBindings } from "#/api/rbac/v1.ts";
import { serve } from "../../registry/strategy.ts";
import { validateClusterMeta } from "../rules/object-meta-rules.ts";
import { bindingStrategy } from "./binding-strategy.ts";

/**
 * Upstream: pkg/registry/rbac/clusterrolebinding/strategy.go,
 * pkg/registry/rbac/clusterrolebinding/policybased/storage.go.
 */
export const clusterRoleBinding = serve(
  clusterRoleBindings,
  bindingStrategy(clusterRoleBindings, ["ClusterRole"], validateClusterMeta),
);
