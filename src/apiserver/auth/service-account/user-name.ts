import { nameIsDNSLabel, nameIsDNSSubdomain } from "#/machinery/meta/names.ts";

/** User names of service accounts. Upstream: staging/src/k8s.io/apiserver/pkg/authentication/serviceaccount/util.go. */

const prefix = "system:serviceaccount:";

/** The group of every service account. */
const allServiceAccounts = "system:serviceaccounts";

/** The user name of a service account. */
export function serviceAccountUserName(namespace: string, name: string): string {
  return `${prefix}${namespace}:${name}`;
}

/** The groups of a service account. */
export function serviceAccountGroups(namespace: string): string[] {
  return [allServiceAccounts, `${allServiceAccounts}:${namespace}`];
}

/** The service account of a user name; undefined if it is not one. */
export function parseServiceAccountUserName(
  user: string,
): { readonly namespace: string; readonly name: string } | undefined {
  if (!user.startsWith(prefix)) return undefined;
  const [namespace, name, ...rest] = user.slice(prefix.length).split(":");
  if (!namespace || !name || rest.length > 0) return undefined;
  const valid =
    nameIsDNSLabel(namespace, false).length === 0 && nameIsDNSSubdomain(name, false).length === 0;
  return valid ? { namespace, name } : undefined;
}
