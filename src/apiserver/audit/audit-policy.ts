import type { GroupResources, Policy, PolicyRule, Stage } from "#/api/audit/v1.ts";
import { FlagError } from "#/std/flags/flags.ts";
import { parseYaml } from "#/std/text/yaml.ts";
import type { UserInfo } from "../model/exchange.ts";
import type { RequestInfo } from "../model/request-info.ts";

/** The level at which a request is recorded, and the omitted stages. */
export interface AuditChoice {
  readonly level: PolicyRule["level"];
  readonly omitStages: ReadonlySet<Stage>;
  readonly omitManagedFields: boolean;
}

const levels = ["None", "Metadata", "Request", "RequestResponse"];

/** An audit policy. Upstream: staging/src/k8s.io/apiserver/pkg/audit/policy/{reader,checker}.go. */
export class AuditPolicy {
  readonly #rules: readonly { readonly rule: PolicyRule; readonly choice: AuditChoice }[];
  readonly #otherwise: AuditChoice;

  constructor({ rules, omitStages = [], omitManagedFields = false }: Policy) {
    this.#rules = rules.map((rule) => ({
      rule,
      choice: {
        level: rule.level,
        omitStages: new Set([...omitStages, ...(rule.omitStages ?? [])]),
        omitManagedFields: rule.omitManagedFields ?? omitManagedFields,
      },
    }));
    this.#otherwise = { level: "None", omitStages: new Set(omitStages), omitManagedFields };
  }

  /** The first rule that matches the request decides; without one, nothing is recorded. */
  choose(user: UserInfo | undefined, info: RequestInfo): AuditChoice {
    return this.#rules.find(({ rule }) => matches(rule, user, info))?.choice ?? this.#otherwise;
  }
}

/** Reads a policy file; throws if it is invalid. */
export function parseAuditPolicy(text: string, file: string): AuditPolicy {
  const policy = (parseYaml(text) ?? {}) as Partial<Policy>;
  const problem = (detail: string) =>
    new FlagError(`loading audit policy file: ${detail}: from file ${file}`);
  if (policy.kind !== "Policy" || policy.apiVersion !== "audit.k8s.io/v1") {
    throw problem(
      `unknown group version field ${policy.apiVersion}, Kind=${policy.kind} in policy`,
    );
  }
  const { rules = [] } = policy;
  if (rules.length === 0) throw problem("loaded illegal policy with 0 rules");
  const wrong = rules.find(({ level }) => !levels.includes(level));
  if (wrong) throw problem(`rules: Unsupported value: "${wrong.level}"`);
  return new AuditPolicy({ ...policy, rules } as Policy);
}

function matches(rule: PolicyRule, user: UserInfo | undefined, info: RequestInfo): boolean {
  const { users = [], userGroups = [], verbs = [] } = rule;
  if (users.length > 0 && !users.includes(user?.name ?? "")) return false;
  if (userGroups.length > 0 && !user?.groups.some((group) => userGroups.includes(group))) {
    return false;
  }
  if (verbs.length > 0 && !verbs.includes(info.verb)) return false;
  const { namespaces = [], resources = [], nonResourceURLs = [] } = rule;
  if (namespaces.length > 0 || resources.length > 0) {
    if (!info.isResourceRequest) return false;
    if (namespaces.length > 0 && !namespaces.includes(info.namespace)) return false;
    return resources.length === 0 || resources.some((resource) => isAbout(resource, info));
  }
  if (nonResourceURLs.length === 0) return true;
  return !info.isResourceRequest && nonResourceURLs.some((url) => isPath(url, info.path));
}

function isAbout(
  { group = "", resources = [], resourceNames = [] }: GroupResources,
  info: RequestInfo,
) {
  if (group !== info.apiGroup && group !== "*") return false;
  if (resources.length === 0) return true;
  if (resourceNames.length > 0 && !resourceNames.includes(info.name)) return false;
  const { resource, subresource } = info;
  const whole = subresource === "" ? resource : `${resource}/${subresource}`;
  return resources.some(
    (wanted) =>
      wanted === whole ||
      wanted === "*" ||
      (subresource !== "" && wanted === `*/${subresource}`) ||
      wanted === `${resource}/*`,
  );
}

const isPath = (url: string, path: string): boolean =>
  url === "*" || url === path || (url.endsWith("*") && path.startsWith(url.slice(0, -1)));
