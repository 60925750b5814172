/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/create/create_{role,clusterrole,rolebinding,clusterrolebinding}.go. */

import { CommandError, ExitError, NoResourceMatch } from "../../base/errors.ts";
import type { Unstructured } from "../../base/unstructured.ts";
import type { Context } from "../../command/context.ts";
import { generator } from "./generator.ts";

const rbac = "rbac.authorization.k8s.io";

const standardVerbs = [
  "*",
  "get",
  "delete",
  "list",
  "create",
  "update",
  "patch",
  "watch",
  "proxy",
  "deletecollection",
  "use",
  "bind",
  "escalate",
  "impersonate",
];
const nonResourceVerbs = ["*", "get", "post", "put", "delete", "patch", "head", "options"];

/** Verbs that are valid for these resources only. */
const specialVerbs: Readonly<Record<string, readonly string[]>> = {
  use: ["policy/podsecuritypolicies", "extensions/podsecuritypolicies"],
  bind: [`${rbac}/roles`, `${rbac}/clusterroles`],
  escalate: [`${rbac}/roles`, `${rbac}/clusterroles`],
  impersonate: ["/users", "/serviceaccounts", "/groups", "authentication.k8s.io/userextras"],
};

const ruleFlags = {
  verb: { type: "stringSlice", help: "Verb that the rule allows. May be repeated" },
  resource: {
    type: "stringSlice",
    help: "Resource type that the rule is about, as TYPE.GROUP/SUBRESOURCE. May be repeated",
  },
  "resource-name": {
    type: "stringArray",
    help: "Name of an object that the rule is limited to. May be repeated",
  },
} as const;

interface RuleResource {
  readonly resource: string;
  readonly group: string;
  readonly subresource: string;
}

interface Rule {
  readonly verbs: readonly string[];
  readonly resources: readonly RuleResource[];
  readonly names: readonly string[];
}

function parseRule(flags: {
  readonly verb: readonly string[];
  readonly resource: readonly string[];
  readonly "resource-name": readonly string[];
}): Rule {
  const verbs = flags.verb.includes("*") ? ["*"] : [...new Set(flags.verb)];
  const resources: RuleResource[] = [];
  for (const text of flags.resource) {
    const slash = text.indexOf("/");
    const [name, subresource] =
      slash < 0 ? [text, ""] : [text.slice(0, slash), text.slice(slash + 1)];
    const dot = name.indexOf(".");
    const [resource, group] = dot < 0 ? [name, ""] : [name.slice(0, dot), name.slice(dot + 1)];
    if (resource === "*" && dot < 0 && slash < 0) {
      return { verbs, resources: [{ resource, group, subresource }], names: names(flags) };
    }
    resources.push({ resource, group, subresource });
  }
  return { verbs, resources, names: names(flags) };
}

const names = (flags: { readonly "resource-name": readonly string[] }): string[] => [
  ...new Set(flags["resource-name"]),
];

/** The server's name of a resource, if it has it. */
async function resolved(
  context: Context,
  { resource, group }: RuleResource,
): Promise<{ resource: string; group: string; found: boolean }> {
  const mapper = await context.cluster.mapper();
  const mapping = await mapper.findResource(group === "" ? resource : `${resource}.${group}`);
  return mapping
    ? { resource: mapping.name, group: mapping.group, found: true }
    : { resource, group, found: false };
}

async function checkResources(context: Context, { verbs, resources }: Rule): Promise<void> {
  for (const wanted of resources) {
    if (wanted.resource === "") {
      throw new CommandError("resource must be specified if apiGroup/subresource specified");
    }
    if (wanted.resource === "*") return;
    const { resource, group, found } = await resolved(context, wanted);
    let isKnown = found;
    for (const verb of verbs) {
      const places = Object.hasOwn(specialVerbs, verb) ? specialVerbs[verb] : undefined;
      if (!places) continue;
      if (!places.includes(`${group}/${resource}`)) {
        throw new CommandError(`can not perform '${verb}' on '${resource}' in group '${group}'`);
      }
      isKnown = true;
    }
    if (!isKnown)
      throw new ExitError(1, new NoResourceMatch(wanted.resource, wanted.group).message);
  }
}

function warnOfVerbs({ verbs }: Rule, context: Context): void {
  for (const verb of verbs) {
    if (!standardVerbs.includes(verb)) {
      context.err.write(`Warning: '${verb}' is not a standard resource verb\n`);
    }
  }
}

/** One rule for each group, in order. */
async function policyRules(
  context: Context,
  { verbs, resources, names: resourceNames }: Rule,
  urls: readonly string[],
): Promise<object[]> {
  const byGroup = new Map<string, string[]>();
  for (const wanted of resources) {
    const { resource, group } = await resolved(context, wanted);
    const name = wanted.subresource === "" ? resource : `${resource}/${wanted.subresource}`;
    const list = byGroup.get(group) ?? [];
    if (!list.includes(name)) byGroup.set(group, [...list, name]);
  }
  const rules: object[] = [...byGroup.keys()].sort().map((group) => ({
    verbs,
    apiGroups: [group],
    resources: byGroup.get(group),
    ...(resourceNames.length > 0 ? { resourceNames } : {}),
  }));
  return urls.length > 0 ? [...rules, { verbs, nonResourceURLs: urls }] : rules;
}

/** `kubectl create role`. */
export const createRole = generator({
  usage:
    "role NAME --verb=verb --resource=resource.group/subresource [--resource-name=resourcename] [--dry-run=server|client|none]",
  flags: ruleFlags,
  build: async ({ flags, metadata, context }) => {
    const rule = parseRule(flags);
    if (rule.verbs.length === 0) throw new CommandError("at least one verb must be specified");
    warnOfVerbs(rule, context);
    if (rule.resources.length === 0)
      throw new CommandError("at least one resource must be specified");
    await checkResources(context, rule);
    const rules = await policyRules(context, rule, []);
    return { apiVersion: `${rbac}/v1`, kind: "Role", metadata: { ...metadata }, rules };
  },
});

/** `kubectl create clusterrole`. */
export const createClusterRole = generator({
  usage:
    "clusterrole NAME --verb=verb --resource=resource.group [--resource-name=resourcename] [--dry-run=server|client|none]",
  flags: {
    ...ruleFlags,
    "non-resource-url": {
      type: "stringSlice",
      help: "Path that the rule is about, such as /healthz or /metrics/*. May be repeated",
    },
    "aggregation-rule": {
      type: "mapStringString",
      help: "Labels of the cluster roles whose rules are collected",
    },
  },
  build: async ({ name, flags, context }) => {
    const rule = parseRule(flags);
    const urls = flags["non-resource-url"];
    const aggregation = flags["aggregation-rule"];
    const role = { apiVersion: `${rbac}/v1`, kind: "ClusterRole", metadata: { name } };
    if (Object.keys(aggregation).length > 0) {
      if (urls.length + rule.verbs.length + rule.resources.length + rule.names.length > 0) {
        throw new CommandError(
          "aggregation rule must be specified without nonResourceURLs, verbs, resources or resourceNames",
        );
      }
      return {
        ...role,
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: aggregation }] },
        rules: null,
      };
    }
    if (rule.verbs.length === 0) throw new CommandError("at least one verb must be specified");
    if (rule.resources.length === 0 && urls.length === 0) {
      throw new CommandError("one of resource or nonResourceURL must be specified");
    }
    if (rule.resources.length > 0) {
      warnOfVerbs(rule, context);
      await checkResources(context, rule);
    }
    checkUrls(rule, urls);
    return { ...role, rules: await policyRules(context, rule, urls) };
  },
});

function checkUrls({ verbs }: Rule, urls: readonly string[]): void {
  if (urls.length === 0) return;
  const wrong = verbs.find((verb) => !nonResourceVerbs.includes(verb));
  if (wrong !== undefined) throw new CommandError(`invalid verb: '${wrong}' for nonResourceURL`);
  for (const url of urls) {
    if (url === "*") continue;
    if (!url.startsWith("/")) throw new CommandError("nonResourceURL should start with /");
    if (url.slice(0, -1).includes("*")) {
      throw new CommandError(
        "nonResourceURL only supports wildcard matches when '*' is at the end",
      );
    }
  }
}

const subjectFlags = {
  user: { type: "stringArray", help: "User to bind. May be repeated" },
  group: { type: "stringArray", help: "Group to bind. May be repeated" },
  serviceaccount: {
    type: "stringArray",
    help: "ServiceAccount to bind, in the format <namespace>:<name>. May be repeated",
  },
} as const;

function subjects(flags: {
  readonly user: readonly string[];
  readonly group: readonly string[];
  readonly serviceaccount: readonly string[];
}): { subjects?: object[] } {
  const all = [
    ...flags.user.map((name) => ({ kind: "User", apiGroup: rbac, name })),
    ...flags.group.map((name) => ({ kind: "Group", apiGroup: rbac, name })),
    ...flags.serviceaccount.map((text) => {
      const [namespace = "", name = "", ...rest] = text.split(":");
      if (namespace === "" || name === "" || rest.length > 0) {
        throw new CommandError("serviceaccount must be <namespace>:<name>");
      }
      return { kind: "ServiceAccount", name, namespace };
    }),
  ];
  return all.length > 0 ? { subjects: all } : {};
}

/** `kubectl create rolebinding`. */
export const createRoleBinding = generator({
  usage:
    "rolebinding NAME --clusterrole=NAME|--role=NAME [--user=username] [--group=groupname] [--serviceaccount=namespace:serviceaccountname] [--dry-run=server|client|none]",
  flags: {
    ...subjectFlags,
    clusterrole: { type: "string", help: "ClusterRole whose rights the subjects get" },
    role: { type: "string", help: "Role whose rights the subjects get" },
  },
  failure: "failed to create rolebinding:",
  build: ({ flags, metadata }): Unstructured => {
    if ((flags.clusterrole === "") === (flags.role === "")) {
      throw new CommandError("exactly one of clusterrole or role must be specified");
    }
    const kind = flags.role === "" ? "ClusterRole" : "Role";
    return {
      apiVersion: `${rbac}/v1`,
      kind: "RoleBinding",
      metadata: { ...metadata },
      ...subjects(flags),
      roleRef: { apiGroup: rbac, kind, name: flags.role || flags.clusterrole },
    };
  },
});

/** `kubectl create clusterrolebinding`. */
export const createClusterRoleBinding = generator({
  usage:
    "clusterrolebinding NAME --clusterrole=NAME [--user=username] [--group=groupname] [--serviceaccount=namespace:serviceaccountname] [--dry-run=server|client|none]",
  flags: {
    ...subjectFlags,
    clusterrole: { type: "string", help: "ClusterRole whose rights the subjects get" },
  },
  requiredFlags: ["clusterrole"],
  completesFlags: { clusterrole: { of: "names", type: "clusterroles" } },
  failure: "failed to create clusterrolebinding:",
  build: ({ name, flags }): Unstructured => ({
    apiVersion: `${rbac}/v1`,
    kind: "ClusterRoleBinding",
    metadata: { name },
    ...subjects(flags),
    roleRef: { apiGroup: rbac, kind: "ClusterRole", name: flags.clusterrole },
  }),
});
