/** Upstream: staging/src/k8s.io/component-helpers/auth/rbac/reconciliation. */

import type { Resource } from "#/api/base/resource.ts";
import { namespaces } from "#/api/core/v1.ts";
import {
  type ClusterRole,
  clusterRoleBindings,
  clusterRoles,
  type RoleBinding,
  roleBindings,
  roles,
} from "#/api/rbac/v1.ts";
import type { Client } from "#/client/client.ts";
import {
  isAlreadyExists,
  isConflict,
  isNotFound,
  isStatusError,
} from "#/machinery/meta/status-error.ts";
import { reconcileBinding, reconcileRole } from "#/machinery/rbac/reconcile-rbac.ts";
import { CommandError } from "../../base/errors.ts";
import type { Unstructured } from "../../base/unstructured.ts";
import type { Grant } from "./grants-text.ts";

/** The group of roles and bindings. */
export const rbacGroup: string = roles.group;

/** Limit of attempts (count) after conflicts with other writers. */
const maxAttempts = 4;

export interface ReconcileTarget {
  readonly client: Client;
  readonly isDryRun: boolean;
  readonly removesRules: boolean;
  readonly removesSubjects: boolean;
}

/** A role or binding after reconciliation, or a dry run of it. */
export interface Reconciled {
  readonly action: "none" | "create" | "update" | "recreate";
  readonly object: Unstructured;
  readonly isProtected: boolean;
  readonly missing: readonly Grant[];
  readonly extra: readonly Grant[];
}

type Owner = ClusterRole & RoleBinding;

const resources: Readonly<Record<string, Resource<unknown>>> = {
  Role: roles,
  ClusterRole: clusterRoles,
  RoleBinding: roleBindings,
  ClusterRoleBinding: clusterRoleBindings,
};

/** Creates or updates a role or binding so that it grants the expected permissions. */
export async function reconcileObject(
  expected: Unstructured,
  target: ReconcileTarget,
): Promise<Reconciled> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await reconcileOnce(expected, target);
    } catch (error) {
      const raced = isConflict(error) || isAlreadyExists(error);
      if (!raced || attempt === maxAttempts) throw error;
    }
  }
}

async function reconcileOnce(expected: Unstructured, target: ReconcileTarget): Promise<Reconciled> {
  // The lookup in resources has checked the kind.
  const resource = resources[expected.kind ?? ""] as Resource<Owner>;
  const existing = await find(resource, expected, target.client);
  const due = existing
    ? planFor(existing, expected as unknown as Owner, target)
    : creationOf(expected);
  if (due.action === "none" || due.isProtected || target.isDryRun) return due;
  return { ...due, object: await write(resource, existing, due, target.client) };
}

async function find(
  resource: Resource<Owner>,
  { metadata = {} }: Unstructured,
  client: Client,
): Promise<Owner | undefined> {
  const { name = "", namespace = "" } = metadata;
  if (resource.namespaced && namespace === "") return undefined;
  try {
    return await client.get(resource, { name, namespace });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function planFor(existing: Owner, expected: Owner, target: ReconcileTarget): Reconciled {
  const isBinding = "roleRef" in existing;
  const due = isBinding
    ? reconcileBinding(existing, expected, { removesExtra: target.removesSubjects })
    : reconcileRole(existing, expected, { removesExtra: target.removesRules });
  return { ...due, object: due.object as unknown as Unstructured };
}

function creationOf(expected: Unstructured): Reconciled {
  const { rules, subjects } = expected as unknown as Partial<Owner>;
  const missing: readonly Grant[] = rules ?? subjects ?? [];
  return { action: "create", object: expected, isProtected: false, missing, extra: [] };
}

async function write(
  resource: Resource<Owner>,
  existing: Owner | undefined,
  { action, object }: Reconciled,
  client: Client,
): Promise<Unstructured> {
  const owner = object as unknown as Owner;
  if (action === "update") return (await client.update(resource, owner)) as never;
  const { name = "", namespace = "", uid = "" } = existing?.metadata ?? {};
  if (existing) await client.delete(resource, { name, namespace }, { preconditions: { uid } });
  if (resource.namespaced) await tryEnsureNamespace(owner.metadata.namespace ?? "", client);
  return (await client.create(resource, owner)) as never;
}

/** Creates the namespace if it is missing; a Forbidden response is ignored. */
async function tryEnsureNamespace(name: string, client: Client): Promise<void> {
  if (name === "") throw new CommandError("resource name may not be empty");
  try {
    await client.get(namespaces, { name });
    return;
  } catch (error) {
    if (!isNotFound(error) && !isStatusError(error, "Forbidden")) throw error;
  }
  try {
    await client.create(namespaces, { metadata: { name }, spec: {} });
  } catch (error) {
    if (!isAlreadyExists(error) && !isStatusError(error, "Forbidden")) throw error;
  }
}
