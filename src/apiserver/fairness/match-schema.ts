import type {
  FlowSchema,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  Subject,
} from "#/api/flowcontrol/v1.ts";
import type { UserInfo } from "../model/exchange.ts";
import type { RequestInfo } from "../model/request-info.ts";

/** Whether a schema matches a request. Upstream: staging/src/k8s.io/apiserver/pkg/util/flowcontrol/rule.go. */
export function matchesSchema({ spec }: FlowSchema, user: UserInfo, info: RequestInfo): boolean {
  return spec.rules?.some((rule) => matchesRule(rule, user, info)) ?? false;
}

function matchesRule(rule: PolicyRulesWithSubjects, user: UserInfo, info: RequestInfo): boolean {
  if (!rule.subjects.some((subject) => matchesSubject(subject, user))) return false;
  return info.isResourceRequest
    ? (rule.resourceRules?.some((resources) => matchesResource(resources, info)) ?? false)
    : (rule.nonResourceRules?.some((paths) => matchesPath(paths, info)) ?? false);
}

function matchesSubject(subject: Subject, { name, groups }: UserInfo): boolean {
  const { kind, user, group, serviceAccount } = subject;
  if (kind === "User") return user?.name === "*" || user?.name === name;
  if (kind === "Group") return group?.name === "*" || groups.includes(group?.name ?? "");
  if (kind !== "ServiceAccount" || !serviceAccount) return false;
  const prefix = `system:serviceaccount:${serviceAccount.namespace}:`;
  if (serviceAccount.name === "*") return name.startsWith(prefix);
  return name === prefix + serviceAccount.name;
}

function matchesResource(rule: ResourcePolicyRule, info: RequestInfo): boolean {
  const { verb, apiGroup, resource, subresource, namespace } = info;
  const wanted = subresource === "" ? resource : `${resource}/${subresource}`;
  if (!has(rule.verbs, verb) || !has(rule.resources, wanted) || !has(rule.apiGroups, apiGroup)) {
    return false;
  }
  return namespace === "" ? (rule.clusterScope ?? false) : has(rule.namespaces, namespace);
}

function matchesPath(rule: NonResourcePolicyRule, { verb, path }: RequestInfo): boolean {
  if (!has(rule.verbs, verb)) return false;
  return rule.nonResourceURLs.some((url) => {
    if (url === "*" || url === path) return true;
    const prefix = url.endsWith("*") ? url.slice(0, -1) : url;
    return path.startsWith(prefix.endsWith("/") ? prefix : `${prefix}/`);
  });
}

function has(list: readonly string[] | undefined, item: string): boolean {
  return list !== undefined && ((list.length === 1 && list[0] === "*") || list.includes(item));
}
