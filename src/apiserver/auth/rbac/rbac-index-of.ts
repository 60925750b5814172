import type { PolicyRule } from "#/api/rbac/v1.ts";
import { followStore } from "../../registry/follow-store.ts";
import type { Store } from "../../registry/store.ts";
import type { StoredObject } from "../../registry/stored-object.ts";
import { type Binding, RbacIndex } from "./rbac-index.ts";

const indexes = new WeakMap<Store, RbacIndex>();
const group = "rbac.authorization.k8s.io";

/** The index over the roles and bindings of a server: made when first asked for, then kept up to date. */
export function rbacIndexOf(stores: { store(group: string, name: string): Store }): RbacIndex {
  const clusterRoles = stores.store(group, "clusterroles");
  const known = indexes.get(clusterRoles);
  if (known) return known;
  const index = new RbacIndex();
  const setRole = (key: string, role: StoredObject | undefined) =>
    index.setRole(key, role && ((role.object as { rules?: PolicyRule[] }).rules ?? []));
  const setBinding = (key: string, binding: StoredObject | undefined) =>
    index.setBinding(key, binding?.object as Binding | undefined);
  followStore(clusterRoles, setRole);
  followStore(stores.store(group, "roles"), setRole);
  followStore(stores.store(group, "clusterrolebindings"), setBinding);
  followStore(stores.store(group, "rolebindings"), setBinding);
  indexes.set(clusterRoles, index);
  return index;
}
