import type { Resource } from "#/api/base/resource.ts";
import { namespaces } from "#/api/core/v1.ts";
import {
  type ClusterRole,
  type ClusterRoleBinding,
  clusterRoleBindings,
  clusterRoles,
  type RoleBinding,
  roleBindings,
  roles,
} from "#/api/rbac/v1.ts";
import { isAlreadyExists, isConflict, isNotFound } from "#/machinery/meta/status-error.ts";
import {
  type Reconciliation,
  reconcileBinding,
  reconcileRole,
} from "#/machinery/rbac/reconcile-rbac.ts";
import { table } from "#/std/base/table.ts";
import type { Handler } from "../../model/exchange.ts";
import type { Registry } from "../../registry/registry.ts";
import { loopback } from "../base/loopback.ts";
import { type BootstrapPolicy, readBootstrapPolicy } from "./bootstrap-policy.ts";

/** Limit of retries of a write after a conflict (count). */
const attempts = 5;

/** Roles that became aggregated, by the roles that took over their rules. */
const aggregated: Readonly<Record<string, string>> = table({
  admin: "system:aggregate-to-admin",
  edit: "system:aggregate-to-edit",
  view: "system:aggregate-to-view",
});

/** A binding that was split: the new one starts with the old one's subjects. */
const split = { from: "system:discovery", to: "system:public-info-viewer" };

interface PolicyTarget {
  readonly handler: Handler;
  readonly registry: Pick<Registry, "store">;
}

/**
 * Ensures that the roles and bindings of every cluster exist and grant their permissions. Idempotent.
 *
 * Upstream: pkg/registry/rbac/rest/storage_rbac.go.
 */
export async function ensureBootstrapPolicy(
  target: PolicyTarget,
  policy: BootstrapPolicy = readBootstrapPolicy(),
): Promise<void> {
  await primeAggregated(target);
  await primeSplit(target, policy);
  const namespaces = new Set(policy.roles.map(({ metadata }) => metadata.namespace ?? ""));
  await Promise.all([...namespaces].map((name) => ensureNamespace(target, name)));
  await Promise.all([
    ...policy.clusterroles.map((role) => ensure(target, clusterRoles, role, reconcileRole)),
    ...policy.roles.map((role) => ensure(target, roles, role, reconcileRole)),
  ]);
  await Promise.all([
    ...policy.clusterrolebindings.map((binding) =>
      ensure(target, clusterRoleBindings, binding, reconcileBinding),
    ),
    ...policy.rolebindings.map((binding) =>
      ensure(target, roleBindings, binding, reconcileBinding),
    ),
  ]);
}

async function ensure<T extends ClusterRole | RoleBinding>(
  target: PolicyTarget,
  resource: Resource,
  expected: T,
  reconcile: (existing: T, expected: T) => Reconciliation<T>,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ensureOnce(target, resource, expected, reconcile);
    } catch (error) {
      const raced = isConflict(error) || isAlreadyExists(error) || isNotFound(error);
      if (!raced || attempt === attempts) throw error;
    }
  }
}

async function ensureOnce<T extends ClusterRole | RoleBinding>(
  target: PolicyTarget,
  resource: Resource,
  expected: T,
  reconcile: (existing: T, expected: T) => Reconciliation<T>,
): Promise<void> {
  const { handler } = target;
  const { name = "", namespace = "" } = expected.metadata;
  const collection = urlOf(resource, namespace);
  const existing = find<T>(target, resource, namespace, name);
  if (!existing) return loopback(handler, "POST", collection, expected);
  const due = reconcile(existing, expected);
  if (due.isProtected || due.action === "none") return;
  const url = `${collection}/${name}`;
  if (due.action === "update") return loopback(handler, "PUT", url, due.object);
  const { uid } = existing.metadata;
  await loopback(handler, "DELETE", url, { preconditions: { uid } });
  return loopback(handler, "POST", collection, due.object);
}

function find<T>(
  { registry }: PolicyTarget,
  resource: Resource,
  namespace: string,
  name: string,
): T | undefined {
  return registry.store(resource).findCached(namespace, name)?.parsed() as T | undefined;
}

function urlOf({ group, version, name }: Resource, namespace: string): string {
  const scope = namespace === "" ? "" : `namespaces/${namespace}/`;
  return `/apis/${group}/${version}/${scope}${name}`;
}

async function ensureNamespace({ handler, registry }: PolicyTarget, name: string): Promise<void> {
  if (registry.store(namespaces).findCached("", name)) return;
  try {
    await loopback(handler, "POST", "/api/v1/namespaces", { metadata: { name } });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

/** Rules added to a role before it was aggregated move to the role that is now part of it. */
async function primeAggregated(target: PolicyTarget): Promise<void> {
  for (const [from, to] of Object.entries(aggregated)) {
    if (find(target, clusterRoles, "", to)) continue;
    const old = find<ClusterRole>(target, clusterRoles, "", from);
    if (!old || old.aggregationRule) continue;
    const { resourceVersion, uid, ...metadata } = old.metadata;
    const moved = { ...old, metadata: { ...metadata, name: to } };
    await loopback(target.handler, "POST", urlOf(clusterRoles, ""), moved);
  }
}

async function primeSplit(target: PolicyTarget, policy: BootstrapPolicy): Promise<void> {
  const old = find<ClusterRoleBinding>(target, clusterRoleBindings, "", split.from);
  const template = policy.clusterrolebindings.find(({ metadata }) => metadata.name === split.to);
  if (!old || !template || find(target, clusterRoleBindings, "", split.to)) return;
  const { labels, annotations } = old.metadata;
  await loopback(target.handler, "POST", urlOf(clusterRoleBindings, ""), {
    ...template,
    metadata: {
      name: split.to,
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
    },
    ...(old.subjects ? { subjects: old.subjects } : {}),
  });
}
