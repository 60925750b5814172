import type {
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  Subject,
} from "#/api/flowcontrol/v1.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { nameIsDNSLabel, nameIsDNSSubdomain } from "#/machinery/meta/names.ts";
import type { FieldReport } from "../rules/field-report.ts";

/** Upstream: pkg/apis/flowcontrol/validation/validation.go. */
const verbs = [
  "create",
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "proxy",
  "update",
  "watch",
];
const subjectKinds = ["Group", "ServiceAccount", "User"];

/** Checks the requests that a schema matches. */
export function validateRules(
  report: FieldReport,
  path: FieldPath,
  rules: readonly PolicyRulesWithSubjects[],
): void {
  rules.forEach(({ subjects = [], resourceRules = [], nonResourceRules = [] }, index) => {
    const at = path.index(index);
    if (subjects.length === 0) {
      report.required(at, "subjects", "subjects must contain at least one value");
    }
    subjects.forEach((subject, n) => {
      validateSubject(report, at.child("subjects").index(n), subject);
    });
    if (resourceRules.length === 0 && nonResourceRules.length === 0) {
      const detail = "at least one of resourceRules and nonResourceRules has to be non-empty";
      report.required(at, "", detail);
    }
    resourceRules.forEach((rule, n) => {
      validateResourceRule(report, at.child("resourceRules").index(n), rule);
    });
    nonResourceRules.forEach((rule, n) => {
      validateNonResourceRule(report, at.child("nonResourceRules").index(n), rule);
    });
  });
}

const subjectFields = [
  { field: "serviceAccount", kind: "ServiceAccount" },
  { field: "user", kind: "User" },
  { field: "group", kind: "Group" },
] as const;

function validateSubject(report: FieldReport, path: FieldPath, subject: Subject): void {
  if (!subjectKinds.includes(subject.kind)) {
    report.notSupported(path, "kind", subject.kind, subjectKinds);
    return;
  }
  const own = subjectFields.find(({ kind }) => kind === subject.kind);
  if (own) validateOwnField(report, path.child(own.field), subject, own);
  for (const { field, kind } of subjectFields) {
    if (kind === subject.kind || subject[field] === undefined) continue;
    report.forbidden(path, field, `${field} is forbidden when subject kind is not '${kind}'`);
  }
}

function validateOwnField(
  report: FieldReport,
  path: FieldPath,
  subject: Subject,
  { field, kind }: (typeof subjectFields)[number],
): void {
  const value = subject[field];
  if (value === undefined) {
    report.required(path, "", `${field} is required when subject kind is '${kind}'`);
    return;
  }
  if (!value.name) report.required(path, "name");
  if (field !== "serviceAccount") return;
  const { name = "", namespace = "" } = subject.serviceAccount ?? {};
  if (name !== "" && name !== "*") {
    report.problems(path, "name", name, nameIsDNSSubdomain(name, false));
  }
  if (namespace) report.problems(path, "namespace", namespace, nameIsDNSLabel(namespace, false));
  else report.required(path, "namespace", "must specify namespace for service account");
}

function validateVerbs(
  report: FieldReport,
  path: FieldPath,
  ruleVerbs: readonly string[] = [],
): void {
  if (ruleVerbs.length === 0)
    report.required(path, "verbs", "verbs must contain at least one value");
  else if (!validateWildcard(report, path, "verbs", ruleVerbs, "verbs")) {
    const unknown = ruleVerbs.some((verb) => !verbs.includes(verb));
    if (unknown) report.notSupported(path, "verbs", ruleVerbs, verbs);
  }
}

/** Whether the list has "*", which must then be its only item. */
function validateWildcard(
  report: FieldReport,
  path: FieldPath,
  field: string,
  list: readonly string[],
  noun: string,
): boolean {
  if (!list.includes("*")) return false;
  if (list.length > 1) {
    report.invalid(path, field, list, `if '*' is present, must not specify other ${noun}`);
  }
  return true;
}

function validateResourceRule(
  report: FieldReport,
  path: FieldPath,
  rule: ResourcePolicyRule,
): void {
  const { apiGroups = [], resources = [], namespaces = [], clusterScope = false } = rule;
  validateVerbs(report, path, rule.verbs);
  if (apiGroups.length === 0) {
    report.required(path, "apiGroups", "resource rules must supply at least one api group");
  } else validateWildcard(report, path, "apiGroups", apiGroups, "api groups");
  if (resources.length === 0) {
    report.required(path, "resources", "resource rules must supply at least one resource");
  } else validateWildcard(report, path, "resources", resources, "resources");
  if (namespaces.length === 0 && !clusterScope) {
    const detail = "resource rules that are not cluster scoped must supply at least one namespace";
    report.required(path, "namespaces", detail);
  } else if (!validateWildcard(report, path, "namespaces", namespaces, "namespaces")) {
    namespaces.forEach((namespace, index) => {
      const intro = "each member of this list must be '*' or a DNS-1123 label; ";
      const problems = nameIsDNSLabel(namespace, false).map((problem) => intro + problem);
      report.problems(path.child("namespaces").index(index), "", namespace, problems);
    });
  }
}

function validateNonResourceRule(
  report: FieldReport,
  path: FieldPath,
  rule: NonResourcePolicyRule,
): void {
  validateVerbs(report, path, rule.verbs);
  const urls = rule.nonResourceURLs ?? [];
  if (urls.length === 0) {
    report.required(path, "nonResourceURLs", "nonResourceURLs must contain at least one value");
  } else if (!validateWildcard(report, path, "nonResourceURLs", urls, "non-resource URLs")) {
    urls.forEach((url, index) => {
      const problem = urlProblem(url);
      if (problem) report.invalid(path.child("nonResourceURLs").index(index), "", url, problem);
    });
  }
}

function urlProblem(url: string): string | undefined {
  if (url === "") return "must not be empty";
  if (url === "/") return undefined;
  if (!url.startsWith("/")) return "must start with slash";
  if (url.includes(" ")) return "must not contain white-space";
  if (url.includes("//")) return "must not contain double slash";
  const wildcards = url.split("*").length - 1;
  const isSuffix = wildcards === 1 && url.endsWith("/*");
  return wildcards === 0 || isSuffix ? undefined : "wildcard can only do suffix matching";
}
