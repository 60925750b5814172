import type { PolicyRule, RoleRef } from "#/api/rbac/v1.ts";
import {
  forbidden,
  fromStatus,
  notFound,
  type ResourceName,
} from "#/machinery/meta/status-error.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { type LackingRules, lackingRules } from "#/machinery/rbac/uncovered-rules.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { describeRules, goQuoteList } from "../../auth/base/covers.ts";
import { rbacIndexOf } from "../../auth/rbac/rbac-index-of.ts";
import { type Attributes, noAttributes } from "../../model/authorizer.ts";
import type { ApiObject, Claim, RequestContext } from "../../registry/strategy.ts";

/**
 * Users may grant only rules that they have: a role with rules, or a binding to a role, needs all its rules, or the
 * verb escalate or bind.
 *
 * Upstream: pkg/registry/rbac/escalation_check.go, pkg/registry/rbac/validation/rule.go.
 */

const rbacGroup = "rbac.authorization.k8s.io";

/** Nothing was claimed: a check has passed. */
export const nothingClaimed: Claim = { commit: () => undefined, rollback: () => undefined };

/** Whether the user is in the group that may do everything. */
export function isPrivileged({ user }: RequestContext): boolean {
  return user?.groups.includes("system:masters") ?? false;
}

/** Whether the user may write any rules into the role (verb escalate). */
export function mayEscalate(
  context: RequestContext,
  resource: string,
  name: string,
): Promise<boolean> {
  return isAllowed(context, { verb: "escalate", resource, name, apiGroup: rbacGroup });
}

/** Whether the user may bind any subject to the role (verb bind). */
async function mayBind(context: RequestContext, ref: RoleRef): Promise<boolean> {
  if (ref.kind !== "Role" && ref.kind !== "ClusterRole") return false;
  const resource = ref.kind === "Role" ? "roles" : "clusterroles";
  return isAllowed(context, { verb: "bind", resource, name: ref.name, apiGroup: ref.apiGroup });
}

async function isAllowed(
  { user, namespace, authorizer }: RequestContext,
  requested: Pick<Attributes, "verb" | "resource" | "name" | "apiGroup">,
): Promise<boolean> {
  if (!user) return false;
  const attributes = { ...noAttributes, ...requested, user, namespace, apiVersion: "*" };
  return (await authorizer.authorize(attributes)).decision === "allow";
}

/** The rules that the user lacks to grant these rules, as a message; undefined if none. */
export function findEscalation(
  context: RequestContext,
  rules: readonly PolicyRule[],
  resource: ResourceName,
): string | undefined {
  const { user = { name: "", groups: [] }, namespace } = context;
  const own = rbacIndexOf(context).rulesFor(user, namespace);
  const lacking = lackingRules(own.rules, rules);
  if (lacking.rules.length === 0) return undefined;
  const subject = `user ${goQuote(user.name)} (groups=${goQuoteList(user.groups)})`;
  const errors = own.missing.map(({ name }) => notFound(resource, name).message);
  const unresolved = errors.length > 0 ? `; resolution errors: ${bracketed(errors)}` : "";
  return `${subject} is attempting to grant RBAC permissions not currently held:\n${listRules(lacking)}${unresolved}`;
}

/** Limit of the text about lacking rules (characters), if they are too many to list each. */
const maxListedCharacters = 64 * 1024;

function listRules({ rules, isEach }: LackingRules): string {
  const text = describeRules(rules).join("\n");
  return isEach || text.length <= maxListedCharacters
    ? text
    : `${text.slice(0, maxListedCharacters)}… (truncated)`;
}

const bracketed = (errors: readonly string[]): string =>
  errors.length > 1 ? `[[${errors.join(", ")}]]` : `[${errors[0]}]`;

/** Throws unless the user may create a binding to the role. */
export async function checkBinding(
  { metadata, roleRef }: ApiObject & { roleRef: RoleRef },
  context: RequestContext,
  resource: ResourceName,
): Promise<Claim> {
  if (isPrivileged(context) || (await mayBind(context, roleRef))) return nothingClaimed;
  if (roleRef.kind !== "Role" && roleRef.kind !== "ClusterRole") {
    throw unsupportedKind(roleRef.kind);
  }
  const rules = rbacIndexOf(context).rulesOf(roleRef, context.namespace);
  if (!rules) throw notFound(resource, roleRef.name);
  const problem = findEscalation(context, rules, resource);
  if (problem !== undefined) throw forbidden(resource, metadata.name ?? "", problem);
  return nothingClaimed;
}

/** Upstream gives no reason for this failure. */
const unsupportedKind = (kind: string): Error =>
  fromStatus({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: `unsupported role reference kind: ${goQuote(kind)}`,
    code: 500,
  });

/** Whether an update changes only fields that garbage collection writes. */
export function onlyCollectorFields(object: ApiObject, old: ApiObject): boolean {
  const { ownerReferences, finalizers, selfLink, managedFields } = old.metadata;
  const collected = { ownerReferences, finalizers, selfLink, managedFields };
  const metadata = withoutUndefined({ ...object.metadata, ...collected });
  return deepEqual({ ...object, metadata }, old);
}

function withoutUndefined(object: object): object {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
