import type {
  FlowSchema,
  LimitedPriorityLevelConfiguration,
  PolicyRulesWithSubjects,
  PriorityLevelConfiguration,
  ResourcePolicyRule,
  Subject,
} from "#/api/flowcontrol/v1.ts";

/**
 * Flow schemas and priority levels that every server must have.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap/default.go.
 */

/** The annotation of objects that the server updates while its value is "true". */
export const autoUpdateAnnotation = "apf.kubernetes.io/autoupdate-spec";

const metadata = (name: string) => ({ name, annotations: { [autoUpdateAnnotation]: "true" } });

/** A flow schema with one rule. */
export function newFlowSchema(
  name: string,
  priorityLevel: string,
  matchingPrecedence: number,
  distinguisher: "ByUser" | "ByNamespace" | "",
  rule: PolicyRulesWithSubjects,
): FlowSchema {
  return {
    metadata: metadata(name),
    spec: {
      priorityLevelConfiguration: { name: priorityLevel },
      matchingPrecedence,
      ...(distinguisher === "" ? {} : { distinguisherMethod: { type: distinguisher } }),
      rules: [rule],
    },
  };
}

/** A priority level of limited concurrency. */
export function newLimitedLevel(
  name: string,
  limited: LimitedPriorityLevelConfiguration,
): PriorityLevelConfiguration {
  return { metadata: metadata(name), spec: { type: "Limited", limited } };
}

/** Subjects of a kind. */
export const groups = (...names: string[]): Subject[] =>
  names.map((name) => ({ kind: "Group", group: { name } }));

/** Rules for resource requests, in namespaces and optionally cluster-scoped. */
export const resourceRule = (
  verbs: string[],
  apiGroups: string[],
  resources: string[],
  clusterScope: boolean,
): ResourcePolicyRule => ({
  verbs,
  apiGroups,
  resources,
  ...(clusterScope ? { clusterScope } : {}),
  namespaces: ["*"],
});

/** A rule for all requests of these subjects. */
export const everythingBy = (subjects: Subject[]): PolicyRulesWithSubjects => ({
  subjects,
  resourceRules: [resourceRule(["*"], ["*"], ["*"], true)],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
});

/** All users, authenticated or not. */
export const allUsers = (): Subject[] => groups("system:unauthenticated", "system:authenticated");

/** The immutable flow schemas. */
export const mandatoryFlowSchemas = (): FlowSchema[] => [
  newFlowSchema("exempt", "exempt", 1, "", everythingBy(groups("system:masters"))),
  newFlowSchema("catch-all", "catch-all", 10_000, "ByUser", everythingBy(allUsers())),
];

/** The immutable priority levels. */
export const mandatoryPriorityLevels = (): PriorityLevelConfiguration[] => [
  {
    metadata: metadata("exempt"),
    spec: { type: "Exempt", exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } },
  },
  newLimitedLevel("catch-all", {
    nominalConcurrencyShares: 5,
    lendablePercent: 0,
    limitResponse: { type: "Reject" },
  }),
];
