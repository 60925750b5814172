import { roleBindings } from "#/api/rbac/v1.ts";
import { nameIsPathSegment } from "#/machinery/names.ts";
import { serve } from "../../registry/strategy.ts";
import { validateMetaUpdate, validateNamespacedMeta } from "../object-meta-rules.ts";
import {
  bindingColumns,
  declaredErrors,
  setBindingDefaults,
  validateBinding,
  validateSameRole,
} from "./binding-rules.ts";
import { checkBinding, nothingClaimed, onlyCollectorFields } from "./escalation.ts";

const roleKinds = ["Role", "ClusterRole"];

/** Upstream: pkg/registry/rbac/rolebinding/strategy.go, pkg/registry/rbac/rolebinding/policybased/storage.go. */
export const roleBinding = serve(roleBindings, {
  allowCreateOnUpdate: true,
  setDefaults: setBindingDefaults,
  beginCreate: (object, context) => checkBinding(object, context, roleBindings),
  beginUpdate: (object, old, context) =>
    onlyCollectorFields(object, old) ? nothingClaimed : checkBinding(object, context, roleBindings),
  validate: (object) => [
    ...validateNamespacedMeta(object.metadata, nameIsPathSegment),
    ...validateBinding(object, roleKinds),
    ...declaredErrors(object),
  ],
  validateUpdate: (object, old) => [
    ...validateNamespacedMeta(object.metadata, nameIsPathSegment),
    ...validateBinding(object, roleKinds),
    ...validateMetaUpdate(object.metadata, old.metadata),
    ...declaredErrors(object),
    ...validateSameRole(object, old),
  ],
  columns: bindingColumns,
});
