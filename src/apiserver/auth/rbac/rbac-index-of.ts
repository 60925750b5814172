import {
  clusterRoleBindings,
  clusterRoles,
  type PolicyRule,
  roleBindings,
  roles,
} from "#/api/rbac/v1.ts";
import { memoByIdentity } from "#/std/memory/memo.ts";
import type { ResourceName } from "../../model/resource-name.ts";
import { followStore } from "../../registry/follow-store.ts";
import type { Store } from "../../registry/store.ts";
import type { StoredObject } from "../../registry/stored-object.ts";
import { type Binding, RbacIndex } from "./rbac-index.ts";

interface Stores {
  store(resource: ResourceName): Store;
}

const clusterRolesOf = (stores: Stores): Store => stores.store(clusterRoles);

/** The index of a server's roles and bindings: made on the first call, then kept up to date. */
export const rbacIndexOf = memoByIdentity(openIndex, { identity: clusterRolesOf });

function openIndex(stores: Stores): RbacIndex {
  const index = new RbacIndex();
  const setRole = (key: string, role: StoredObject | undefined) =>
    index.setRole(key, role && ((role.parsed() as { rules?: PolicyRule[] }).rules ?? []));
  const setBinding = (key: string, binding: StoredObject | undefined) =>
    index.setBinding(key, binding?.parsed() as Binding | undefined);
  followStore(clusterRolesOf(stores), setRole);
  followStore(stores.store(roles), setRole);
  followStore(stores.store(clusterRoleBindings), setBinding);
  followStore(stores.store(roleBindings), setBinding);
  return index;
}
