import { roleBindings } from "#/api/rbac/v1.ts";
import { serve } from "../../registry/strategy.ts";
import { validateNamespacedMeta } from "../rules/object-meta-rules.ts";
import { bindingStrategy } from "./binding-strategy.ts";

/** Upstream: pkg/registry/rbac/rolebinding/strategy.go, pkg/registry/rbac/rolebinding/policybased/storage.go. */
export const roleBinding = serve(
  roleBindings,
  bindingStrategy(roleBindings, ["Role", "ClusterRole"], validateNamespacedMeta),
);
