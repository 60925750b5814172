import { type Role, roles } from "#/api/rbac/v1.ts";
import type { FieldError } from "#/machinery/meta/field-error.ts";
import { nameIsPathSegment } from "#/machinery/meta/names.ts";
import { forbidden } from "#/machinery/meta/status-error.ts";
import { type Claim, type Decoded, type RequestContext, serve } from "../../registry/strategy.ts";
import { validateMetaUpdate, validateNamespacedMeta } from "../rules/object-meta-rules.ts";
import {
  findEscalation,
  isPrivileged,
  mayEscalate,
  nothingClaimed,
  onlyCollectorFields,
} from "./escalation.ts";
import { declaredErrors, validateRules } from "./policy-rules.ts";

/** Upstream: pkg/registry/rbac/role/strategy.go, pkg/registry/rbac/role/policybased/storage.go. */
export const role = serve(roles, {
  allowCreateOnUpdate: true,
  beginCreate: checkEscalation,
  beginUpdate: (object, old, context) =>
    onlyCollectorFields(object, old) ? nothingClaimed : checkEscalation(object, context),
  validate: (object) => [...validateRole(object), ...declaredErrors(object.rules)],
  validateUpdate: (object, old) => [
    ...validateRole(object),
    ...validateMetaUpdate(object.metadata, old.metadata),
    ...declaredErrors(object.rules),
  ],
});

function validateRole({ metadata, rules }: Decoded<Role>): FieldError[] {
  return [...validateNamespacedMeta(metadata, nameIsPathSegment), ...validateRules(rules, true)];
}

async function checkEscalation(object: Decoded<Role>, context: RequestContext): Promise<Claim> {
  const { name = "" } = object.metadata;
  if (isPrivileged(context) || (await mayEscalate(context, roles.name, name))) {
    return nothingClaimed;
  }
  const problem = findEscalation(context, object.rules ?? [], roles);
  if (problem !== undefined) throw forbidden(roles, name, problem);
  return nothingClaimed;
}
