import { namespaces } from "#/api/core/v1.ts";
import type { DeviceClaim, ResourceClaimStatus } from "#/api/resource/v1.ts";
import { type FieldError, forbidden } from "#/machinery/meta/field-error.ts";
import { type FieldPath, fieldPath } from "#/machinery/meta/field-path.ts";
import type { RequestContext } from "../../registry/strategy.ts";

/** Upstream: pkg/registry/resource/utils.go. */
const adminLabel = "resource.kubernetes.io/admin-access";

/** Admin access (to devices that others use) may be requested only in namespaces with the label. */
export function validateAdminAccess(
  { requests = [] }: DeviceClaim,
  context: RequestContext,
): FieldError[] {
  const index = requests.findIndex(({ exactly }) => exactly?.adminAccess);
  if (index < 0) return [];
  const path = fieldPath("spec", "devices", "requests").index(index).child("adminAccess");
  return requireLabel(path, context);
}

/** The same for the devices in a claim's allocation. */
export function validateAdminStatus(
  status: ResourceClaimStatus | undefined,
  old: ResourceClaimStatus | undefined,
  context: RequestContext,
): FieldError[] {
  const granted = (one: ResourceClaimStatus | undefined) =>
    one?.allocation?.devices?.results?.findIndex(({ adminAccess }) => adminAccess) ?? -1;
  const index = granted(status);
  if (index < 0 || granted(old) >= 0) return [];
  const results = fieldPath("status", "allocation", "devices", "results");
  return requireLabel(results.index(index).child("adminAccess"), context);
}

function requireLabel(path: FieldPath, context: RequestContext): FieldError[] {
  const found = context.store(namespaces).findCached("", context.namespace);
  if (found?.parsed().metadata.labels?.[adminLabel] === "true") return [];
  const detail = `admin access to devices requires the \`${adminLabel}: true\` label on the containing namespace`;
  return [forbidden(path, detail)];
}
