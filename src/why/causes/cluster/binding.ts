import { serviceAccounts } from "#/api/core/v1.ts";
import {
  type ClusterRoleBinding,
  clusterRoleBindings,
  clusterRoles,
  type RoleBinding,
  roleBindings,
  roles,
} from "#/api/rbac/v1.ts";
import { cause } from "../../base/cause.ts";

/** A binding that gives nothing to anybody: what it names is not there. */
export const bindingWithoutRole = cause<RoleBinding | ClusterRoleBinding>({
  name: "binding-without-role",
  layer: "authorization",
  of: [roleBindings, clusterRoleBindings],
  find({ roleRef: { kind, name }, metadata: { namespace } }, view) {
    const isAbsent =
      kind === roles.kind
        ? view.isAbsent(roles, { name, namespace })
        : view.isAbsent(clusterRoles, { name });
    if (!isAbsent) return undefined;
    return {
      sentence: `the ${kind} "${name}" does not exist, so nobody gets a permission by it`,
      fix: [`# a roleRef cannot be changed: create the ${kind}, or the binding anew`],
    };
  },
});

export const bindingWithoutAccount = cause<RoleBinding | ClusterRoleBinding>({
  name: "binding-without-account",
  layer: "authorization",
  of: [roleBindings, clusterRoleBindings],
  find({ subjects, metadata }, view) {
    const accounts = (subjects ?? []).filter(({ kind }) => kind === serviceAccounts.kind);
    const placeOf = (given: string | undefined) => given ?? metadata.namespace;
    const missing = accounts.filter(({ name, namespace }) =>
      view.isAbsent(serviceAccounts, { name, namespace: placeOf(namespace) }),
    );
    const [first] = missing;
    // Some of the cluster's own bindings name accounts that a cluster may lack.
    if (!first || missing.length < (subjects ?? []).length || isBuiltIn(metadata)) return undefined;
    const namespace = placeOf(first.namespace);
    return {
      sentence: `its ServiceAccount "${first.name}" in ${namespace} does not exist, so nobody gets a permission by it`,
      fix: [`kubectl -n ${namespace} create serviceaccount ${first.name}`],
    };
  },
});

const isBuiltIn = ({ labels }: { readonly labels?: Readonly<Record<string, string>> }): boolean =>
  labels?.["kubernetes.io/bootstrapping"] !== undefined;
