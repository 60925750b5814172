import {
  clusterRoleBindings,
  clusterRoles,
  type PolicyRule,
  roleBindings,
  roles,
} from "#/api/rbac/v1.ts";
import type { ResourceName } from "../../model/resource-name.ts";
import { followStore } from "../../registry/follow-store.ts";
import type { Store } from "../../registry/store.ts";
import type { StoredObject } from "../../registry/stored-object.ts";
import { type Binding, RbacIndex } from "./rbac-index.ts";

const indexes = new WeakMap<Store, RbacIndex>();

/** The index over the roles and bindings of a server: made when first asked for, then kept up to date. */
export function rbacIndexOf(stores: { store(resource: ResourceName): Store }): RbacIndex {
  const clusterWide = stores.store(clusterRoles);
  const known = indexes.get(clusterWide);
  if (known) return known;
  const index = new RbacIndex();
  const setRole = (key: string, role: StoredObject | undefined) =>
    index.setRole(key, role && ((role.object as { rules?: PolicyRule[] }).rules ?? []));
  const setBinding = (key: string, binding: StoredObject | undefined) =>
    index.setBinding(key, binding?.object as Binding | undefined);
  followStore(clusterWide, setRole);
  followStore(stores.store(roles), setRole);
  followStore(stores.store(clusterRoleBindings), setBinding);
  followStore(stores.store(roleBindings), setBinding);
  indexes.set(clusterWide, index);
  return index;
}
