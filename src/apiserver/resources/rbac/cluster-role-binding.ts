import { clusterRoleBindings } from "#/api/rbac/v1.ts";
import { nameIsPathSegment } from "#/machinery/names.ts";
import { serve } from "../../registry/strategy.ts";
import { validateClusterMeta, validateMetaUpdate } from "../object-meta-rules.ts";
import {
  bindingColumns,
  declaredErrors,
  setBindingDefaults,
  validateBinding,
  validateSameRole,
} from "./binding-rules.ts";
import { checkBinding, nothingClaimed, onlyCollectorFields } from "./escalation.ts";

const roleKinds = ["ClusterRole"];

/** Upstream: pkg/registry/rbac/clusterrolebinding/strategy.go, pkg/registry/rbac/clusterrolebinding/policybased/storage.go. */
export const clusterRoleBinding = serve(clusterRoleBindings, {
  allowCreateOnUpdate: true,
  setDefaults: setBindingDefaults,
  beginCreate: (object, context) => checkBinding(object, context, clusterRoleBindings),
  beginUpdate: (object, old, context) =>
    onlyCollectorFields(object, old)
      ? nothingClaimed
      : checkBinding(object, context, clusterRoleBindings),
  validate: (object) => [
    ...validateClusterMeta(object.metadata, nameIsPathSegment),
    ...validateBinding(object, roleKinds),
    ...declaredErrors(object),
  ],
  validateUpdate: (object, old) => [
    ...validateClusterMeta(object.metadata, nameIsPathSegment),
    ...validateBinding(object, roleKinds),
    ...validateMetaUpdate(object.metadata, old.metadata),
    ...declaredErrors(object),
    ...validateSameRole(object, old),
  ],
  columns: bindingColumns,
});
