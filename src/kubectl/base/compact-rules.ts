/** Upstream: staging/src/k8s.io/kubectl/pkg/util/rbac/rbac.go. */
import type { PolicyRule } from "#/api/rbac/v1.ts";

/** The verbs for one resource, or one URL. */
interface CompactRule {
  readonly group: string;
  readonly resource: string;
  readonly name: string;
  readonly url: string;
  readonly verbs: string[];
}

/** One rule for each resource and name, and one for each verb of a URL; sorted. */
export function compactRules(rules: readonly PolicyRule[]): CompactRule[] {
  const simple = new Map<string, CompactRule>();
  const ofUrls: CompactRule[] = [];
  for (const rule of rules) {
    for (const { group, resource, name } of resourcesOf(rule)) {
      const key = JSON.stringify([group, resource, name]);
      const known = simple.get(key) ?? { group, resource, name, url: "", verbs: [] };
      simple.set(key, known);
      for (const verb of rule.verbs ?? []) if (!known.verbs.includes(verb)) known.verbs.push(verb);
    }
    for (const url of rule.nonResourceURLs ?? []) {
      for (const verb of rule.verbs ?? [])
        ofUrls.push({ group: "", resource: "", name: "", url, verbs: [verb] });
    }
  }
  return [...ofUrls, ...simple.values()].sort((a, b) =>
    ruleKey(a) < ruleKey(b) ? -1 : ruleKey(a) > ruleKey(b) ? 1 : 0,
  );
}

function* resourcesOf(
  rule: PolicyRule,
): Generator<Pick<CompactRule, "group" | "resource" | "name">> {
  const { apiGroups = [], resources = [], resourceNames = [] } = rule;
  for (const group of apiGroups) {
    for (const resource of resources) {
      for (const name of resourceNames.length === 0 ? [""] : resourceNames) {
        yield { group, resource, name };
      }
    }
  }
}

const ruleKey = ({ verbs, group, resource, name, url }: CompactRule): string =>
  `Verbs:[${verbs.join(" ")}],APIGroups:[${group}],Resources:[${resource}],ResourceNames:[${name}],NonResourceURLs:[${url}],}`;

/** A rule as the cells of a table: resource, URL, name, verbs. */
export function ruleCells({ resource, group, name, url, verbs }: CompactRule): string {
  const [plain = "", sub] = resource.split(/\/(.*)/s);
  const text = `${plain}${group === "" ? "" : `.${group}`}${sub === undefined ? "" : `/${sub}`}`;
  return [text, `[${url}]`, `[${name}]`, `[${verbs.join(" ")}]`].join("\t");
}
