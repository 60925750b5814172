import { deepCopy } from "#/machinery/objects/deep-copy.ts";
import { memoByIdentities } from "#/std/memory/memo.ts";
import type { ApiObject, Declaration, ViewStrategy } from "./strategy.ts";

/** The resource's declaration with the hooks of one of its subresources instead of its own. */
export const viewDeclaration = memoByIdentities(makeView);

function makeView(declaration: Declaration, view: ViewStrategy): Declaration {
  const {
    validate,
    prepareForCreate,
    beginUpdate,
    beginCreate,
    warnings,
    validateUpdate,
    permitUpdate,
    ...rest
  } = declaration;
  return {
    ...rest,
    allowCreateOnUpdate: false,
    prepareForUpdate: view.prepareForUpdate ?? takeStatusOnly,
    ...(view.validateUpdate ? { validateUpdate: view.validateUpdate } : {}),
    ...(view.permitUpdate ? { permitUpdate: view.permitUpdate } : {}),
    ...(view.warnings
      ? {
          warnings: (object, old, context) =>
            old ? (view.warnings?.(object, old, context) ?? []) : [],
        }
      : {}),
  };
}

/** Keeps all fields of the old object except status and managedFields. */
function takeStatusOnly(object: ApiObject, old: ApiObject): void {
  const target = object as unknown as Record<string, unknown>;
  const { managedFields, resourceVersion, uid } = object.metadata;
  for (const key of Object.keys(target)) if (key !== "status") delete target[key];
  for (const [key, value] of Object.entries(old))
    if (key !== "status") target[key] = key === "metadata" ? deepCopy(value) : value;
  if (managedFields) object.metadata.managedFields = managedFields;
  else delete object.metadata.managedFields;
  if (resourceVersion) object.metadata.resourceVersion = resourceVersion;
  if (uid) object.metadata.uid = uid;
}
