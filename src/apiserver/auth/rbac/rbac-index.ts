import type { ClusterRoleBinding, PolicyRule, RoleRef, Subject } from "#/api/rbac/v1.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import type { UserInfo } from "../../model/exchange.ts";
import { serviceAccountUserName } from "../service-account/user-name.ts";
import { RuleIndex } from "./rule-index.ts";

/** A RoleBinding or ClusterRoleBinding; the latter is in no namespace. */
export type Binding = Pick<ClusterRoleBinding, "metadata" | "subjects" | "roleRef">;

const rbacGroup = "rbac.authorization.k8s.io";

/** The roles of one user or group in one namespace, or in the cluster. */
class Grants {
  readonly bindings = new Map<string, { readonly binding: Binding; readonly subject: Subject }>();
  /** Made from the bindings on demand, and again after they or their roles have changed. */
  rules: RuleIndex | undefined;
}

/** The users and groups in bindings of one scope. */
class Scope {
  readonly users = new Map<string, Grants>();
  readonly groups = new Map<string, Grants>();
}

/**
 * Roles and bindings, indexed by subject, so that a decision reads only those of the user and their groups. On each
 * change, it drops the derived data of the affected subjects only.
 *
 * Upstream: pkg/registry/rbac/validation/rule.go.
 */
export class RbacIndex {
  /** By "name" for cluster roles and "namespace/name" for roles: rules may be empty. */
  readonly #roles = new Map<string, readonly PolicyRule[]>();
  readonly #bindings = new Map<string, Binding>();
  /** Bindings by the role they refer to. */
  readonly #users = new Map<string, Set<string>>();
  /** By namespace; "" for cluster role bindings. */
  readonly #scopes = new Map<string, Scope>([["", new Scope()]]);

  /** Records a role ("namespace/name" or "name"); undefined if it is deleted. */
  setRole(key: string, rules: readonly PolicyRule[] | undefined): void {
    if (rules) this.#roles.set(key, rules);
    else this.#roles.delete(key);
    for (const user of this.#users.get(key) ?? []) this.#forget(this.#bindings.get(user));
  }

  /** Records a binding ("namespace/name" or "name"); undefined if it is deleted. */
  setBinding(key: string, binding: Binding | undefined): void {
    this.#drop(key);
    if (!binding) return;
    this.#bindings.set(key, binding);
    const role = roleKey(binding.roleRef, namespaceOf(binding));
    const users = this.#users.get(role) ?? new Set();
    this.#users.set(role, users.add(key));
    for (const subject of binding.subjects ?? []) {
      const grants = this.#grantsOf(binding, subject, true);
      if (!grants || grants.bindings.has(key)) continue;
      grants.bindings.set(key, { binding, subject });
      grants.rules = undefined;
    }
  }

  /** Calls `visit` with the rules of the user and of each group, until it returns true. */
  search(user: UserInfo, namespace: string, visit: (rules: RuleIndex) => boolean): boolean {
    return (
      this.#searchScope("", user, visit) ||
      (namespace !== "" && this.#searchScope(namespace, user, visit))
    );
  }

  /** All rules of a user in a namespace, and the roles that are bound but don't exist. */
  rulesFor(user: UserInfo, namespace: string): { rules: PolicyRule[]; missing: RoleRef[] } {
    const rules: PolicyRule[] = [];
    const missing: RoleRef[] = [];
    for (const binding of this.#bindingsOf(user, namespace)) {
      const found = this.rulesOf(binding.roleRef, namespaceOf(binding));
      if (found) for (const rule of found) rules.push(rule);
      else missing.push(binding.roleRef);
    }
    return { rules, missing };
  }

  /** The rules of a role that a binding in a namespace ("" for none) refers to; undefined if there is no such role. */
  rulesOf(ref: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    return this.#roles.get(roleKey(ref, namespace));
  }

  #bindingsOf(user: UserInfo, namespace: string): Iterable<Binding> {
    const found = new Map<string, Binding>();
    for (const scope of namespace === "" ? [""] : ["", namespace]) {
      const { users, groups } = this.#scopes.get(scope) ?? new Scope();
      for (const grants of [users.get(user.name), ...user.groups.map((name) => groups.get(name))]) {
        for (const [key, { binding }] of grants?.bindings ?? []) found.set(key, binding);
      }
    }
    return found.values();
  }

  #searchScope(namespace: string, user: UserInfo, visit: (rules: RuleIndex) => boolean): boolean {
    const scope = this.#scopes.get(namespace);
    if (!scope) return false;
    const own = scope.users.get(user.name);
    if (own && visit(this.#rules(own))) return true;
    for (const group of user.groups) {
      const grants = scope.groups.get(group);
      if (grants && visit(this.#rules(grants))) return true;
    }
    return false;
  }

  #rules(grants: Grants): RuleIndex {
    if (grants.rules) return grants.rules;
    const index = new RuleIndex();
    for (const { binding, subject } of grants.bindings.values()) {
      const rules = this.rulesOf(binding.roleRef, namespaceOf(binding));
      if (rules) index.add(rules, `RBAC: allowed by ${describe(binding, subject)}`);
      else index.missing.push(missingRole(binding.roleRef));
    }
    grants.rules = index;
    return index;
  }

  #drop(key: string): void {
    const binding = this.#bindings.get(key);
    if (!binding) return;
    this.#bindings.delete(key);
    const role = roleKey(binding.roleRef, namespaceOf(binding));
    const users = this.#users.get(role);
    if (users?.delete(key) && users.size === 0) this.#users.delete(role);
    for (const subject of binding.subjects ?? []) {
      const grants = this.#grantsOf(binding, subject, false);
      if (!grants) continue;
      grants.bindings.delete(key);
      grants.rules = undefined;
      if (grants.bindings.size === 0) this.#removeGrants(binding, subject);
    }
  }

  #forget(binding: Binding | undefined): void {
    for (const subject of binding?.subjects ?? []) {
      const grants = binding && this.#grantsOf(binding, subject, false);
      if (grants) grants.rules = undefined;
    }
  }

  #grantsOf(binding: Binding, subject: Subject, make: boolean): Grants | undefined {
    const namespace = namespaceOf(binding);
    const key = subjectKey(subject, namespace);
    if (!key) return undefined;
    const scope = this.#scopes.get(namespace) ?? new Scope();
    if (make) this.#scopes.set(namespace, scope);
    const known = scope[key.type].get(key.name);
    if (known || !make) return known;
    const grants = new Grants();
    scope[key.type].set(key.name, grants);
    return grants;
  }

  #removeGrants(binding: Binding, subject: Subject): void {
    const namespace = namespaceOf(binding);
    const scope = this.#scopes.get(namespace);
    const key = subjectKey(subject, namespace);
    if (!scope || !key) return;
    scope[key.type].delete(key.name);
    if (namespace !== "" && scope.users.size === 0 && scope.groups.size === 0) {
      this.#scopes.delete(namespace);
    }
  }
}

/** The error for a bound role that doesn't exist. */
export const missingRole = ({ kind, name }: RoleRef): string =>
  `${kind.toLowerCase()}.${rbacGroup} ${goQuote(name)} not found`;

const namespaceOf = ({ metadata }: Binding): string => metadata.namespace ?? "";

const roleKey = ({ kind, name }: RoleRef, namespace: string): string =>
  kind === "Role" ? `${namespace}/${name}` : name;

/** User name of a service account; undefined without a namespace. */
function subjectKey(
  { kind, name, namespace }: Subject,
  bindingNamespace: string,
): { type: "users" | "groups"; name: string } | undefined {
  switch (kind) {
    case "User":
      return { type: "users", name };
    case "Group":
      return { type: "groups", name };
    case "ServiceAccount": {
      const home = namespace || bindingNamespace;
      return home === "" ? undefined : { type: "users", name: serviceAccountUserName(home, name) };
    }
    default:
      return undefined;
  }
}

function describe({ metadata, roleRef }: Binding, subject: Subject): string {
  const { name = "", namespace } = metadata;
  const binding = namespace
    ? `RoleBinding ${goQuote(`${name}/${namespace}`)}`
    : `ClusterRoleBinding ${goQuote(name)}`;
  const home = subject.namespace || (namespace ?? "");
  const who = subject.kind === "ServiceAccount" ? `${subject.name}/${home}` : subject.name;
  return `${binding} of ${roleRef.kind} ${goQuote(roleRef.name)} to ${subject.kind} ${goQuote(who)}`;
}
