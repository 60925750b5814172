import type { Resource } from "../base/resource.ts";
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "./v1-definitions.ts";

export type * from "./v1-definitions.ts";

export const clusterRoleBindings: Resource<ClusterRoleBinding> = {
  group: "rbac.authorization.k8s.io",
  version: "v1",
  kind: "ClusterRoleBinding",
  name: "clusterrolebindings",
  singular: "clusterrolebinding",
  namespaced: false,
  shortNames: [],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [],
};

export const clusterRoles: Resource<ClusterRole> = {
  group: "rbac.authorization.k8s.io",
  version: "v1",
  kind: "ClusterRole",
  name: "clusterroles",
  singular: "clusterrole",
  namespaced: false,
  shortNames: [],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [],
};

export const roleBindings: Resource<RoleBinding> = {
  group: "rbac.authorization.k8s.io",
  version: "v1",
  kind: "RoleBinding",
  name: "rolebindings",
  singular: "rolebinding",
  namespaced: true,
  shortNames: [],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [],
};

export const roles: Resource<Role> = {
  group: "rbac.authorization.k8s.io",
  version: "v1",
  kind: "Role",
  name: "roles",
  singular: "role",
  namespaced: true,
  shortNames: [],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [],
};
