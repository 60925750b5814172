import type { Resource } from "#/api/base/resource.ts";
import type { ClusterRoleBinding, RoleBinding } from "#/api/rbac/v1.ts";
import { nameIsPathSegment } from "#/machinery/meta/names.ts";
import type { Strategy } from "../../registry/strategy.ts";
import { type validateClusterMeta, validateMetaUpdate } from "../rules/object-meta-rules.ts";
import {
  bindingColumns,
  declaredErrors,
  setBindingDefaults,
  validateBinding,
  validateSameRole,
} from "./binding-rules.ts";
import { checkBinding, nothingClaimed, onlyCollectorFields } from "./escalation.ts";

/** The strategy that both kinds of bindings share; roleKinds are the kinds of roles that they may refer to. */
export function bindingStrategy<T extends RoleBinding | ClusterRoleBinding>(
  handle: Resource<T>,
  roleKinds: readonly string[],
  validateMeta: typeof validateClusterMeta,
): Strategy<T> {
  return {
    allowCreateOnUpdate: true,
    setDefaults: setBindingDefaults,
    beginCreate: (object, context) => checkBinding(object, context, handle),
    beginUpdate: (object, old, context) =>
      onlyCollectorFields(object, old) ? nothingClaimed : checkBinding(object, context, handle),
    validate: (object) => [
      ...validateMeta(object.metadata, nameIsPathSegment),
      ...validateBinding(object, roleKinds),
      ...declaredErrors(object),
    ],
    validateUpdate: (object, old) => [
      ...validateMeta(object.metadata, nameIsPathSegment),
      ...validateBinding(object, roleKinds),
      ...validateMetaUpdate(object.metadata, old.metadata),
      ...declaredErrors(object),
      ...validateSameRole(object, old),
    ],
    columns: bindingColumns,
  };
}
