import type {
  FlowSchema,
  LimitedPriorityLevelConfiguration,
  PolicyRulesWithSubjects,
  PriorityLevelConfiguration,
  ResourcePolicyRule,
  Subject,
} from "#/api/flowcontrol/v1.ts";

/**
 * Flow schemas and priority levels that no server goes without.
 *
 * Upstream: apiserver/pkg/apis/flowcontrol/bootstrap/default.go.
 */

/** The annotation of objects that the server keeps up to date as long as it says "true". */
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

/** Requests for resources, in namespaces and, if said so, of the cluster. */
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

/** A rule for all that these subjects do. */
export const everythingBy = (subjects: Subject[]): PolicyRulesWithSubjects => ({
  subjects,
  resourceRules: [resourceRule(["*"], ["*"], ["*"], true)],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
});

/** All users, known or not. */
export const everybody = (): Subject[] => groups("system:unauthenticated", "system:authenticated");

/** The flow schemas that can't be changed. */
export const mandatoryFlowSchemas = (): FlowSchema[] => [
  newFlowSchema("exempt", "exempt", 1, "", everythingBy(groups("system:masters"))),
  newFlowSchema("catch-all", "catch-all", 10_000, "ByUser", everythingBy(everybody())),
];

/** The priority levels that can't be changed. */
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
