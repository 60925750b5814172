/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/auth/reconcile.go (printResults). */
import type { PolicyRule, Subject } from "#/api/rbac/v1.ts";

export type Grant = PolicyRule | Subject;

/** The name of grants in messages. */
type GrantNoun = "rules" | "subjects";

/** A title and grants of one kind below it, a line each; "" if there are none, or they are not printed. */
export function grantsText(
  title: (noun: GrantNoun) => string,
  grants: readonly Grant[],
  isShown: (noun: GrantNoun) => boolean = () => true,
): string {
  const [first] = grants;
  if (first === undefined) return "";
  const noun = isRule(first) ? "rules" : "subjects";
  if (!isShown(noun)) return "";
  return `\t${title(noun)}:\n${grants.map((grant) => `\t\t${grantText(grant)}\n`).join("")}`;
}

function isRule(grant: Grant): grant is PolicyRule {
  return "verbs" in grant;
}

/** As Go prints the fields of a struct. */
function grantText(grant: Grant): string {
  if (!isRule(grant)) {
    const { kind, apiGroup = "", name, namespace = "" } = grant;
    return `{Kind:${kind} APIGroup:${apiGroup} Name:${name} Namespace:${namespace}}`;
  }
  const { verbs, apiGroups, resources, resourceNames, nonResourceURLs } = grant;
  const list = (items: readonly string[] = []): string => `[${items.join(" ")}]`;
  return `{Verbs:${list(verbs)} APIGroups:${list(apiGroups)} Resources:${list(resources)} ResourceNames:${list(resourceNames)} NonResourceURLs:${list(nonResourceURLs)}}`;
}
