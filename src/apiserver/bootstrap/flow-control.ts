import type { FlowSchema, PriorityLevelConfiguration, Subject } from "#/api/flowcontrol/v1.ts";
import {
  allUsers,
  autoUpdateAnnotation,
  everythingBy,
  groups,
  mandatoryFlowSchemas,
  mandatoryPriorityLevels,
  newFlowSchema,
  newLimitedLevel,
  resourceRule,
} from "../resources/flowcontrol/mandatory-objects.ts";

/**
 * The flow schemas and priority levels that a cluster starts with.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap/default.go,
 * pkg/registry/flowcontrol/ensurer/strategy.go.
 */

const queued = (
  name: string,
  shares: number,
  lendablePercent: number,
  queues: number,
  handSize: number,
): PriorityLevelConfiguration =>
  newLimitedLevel(name, {
    nominalConcurrencyShares: shares,
    limitResponse: { type: "Queue", queuing: { queues, handSize, queueLengthLimit: 50 } },
    lendablePercent,
  });

/** All priority levels. */
export const bootstrapPriorityLevels = (): PriorityLevelConfiguration[] => [
  ...mandatoryPriorityLevels(),
  queued("system", 30, 33, 64, 6),
  queued("node-high", 40, 25, 64, 6),
  queued("leader-election", 10, 0, 16, 4),
  queued("workload-high", 40, 50, 128, 6),
  queued("workload-low", 100, 90, 128, 6),
  queued("global-default", 20, 50, 128, 6),
];

const users = (...names: string[]): Subject[] =>
  names.map((name) => ({ kind: "User", user: { name } }));

const systemServiceAccounts = (): Subject[] => [
  { kind: "ServiceAccount", serviceAccount: { namespace: "kube-system", name: "*" } },
];

const controllerManager = "system:kube-controller-manager";
const scheduler = "system:kube-scheduler";
const leases = (verbs: string[]) => resourceRule(verbs, ["coordination.k8s.io"], ["leases"], false);

/** All flow schemas. */
export const bootstrapFlowSchemas = (): FlowSchema[] => [
  ...mandatoryFlowSchemas(),
  newFlowSchema("probes", "exempt", 2, "", {
    subjects: allUsers(),
    nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/healthz", "/readyz", "/livez"] }],
  }),
  newFlowSchema("system-leader-election", "leader-election", 100, "ByUser", {
    subjects: [...users(controllerManager, scheduler), ...systemServiceAccounts()],
    resourceRules: [leases(["get", "create", "update"])],
  }),
  newFlowSchema("system-node-high", "node-high", 400, "ByUser", {
    subjects: groups("system:nodes"),
    resourceRules: [resourceRule(["*"], [""], ["nodes", "nodes/status"], true), leases(["*"])],
  }),
  newFlowSchema("system-nodes", "system", 500, "ByUser", everythingBy(groups("system:nodes"))),
  newFlowSchema(
    "kube-controller-manager",
    "workload-high",
    800,
    "ByNamespace",
    everythingBy(users(controllerManager)),
  ),
  newFlowSchema(
    "kube-scheduler",
    "workload-high",
    800,
    "ByNamespace",
    everythingBy(users(scheduler)),
  ),
  newFlowSchema(
    "kube-system-service-accounts",
    "workload-high",
    900,
    "ByNamespace",
    everythingBy(systemServiceAccounts()),
  ),
  newFlowSchema(
    "service-accounts",
    "workload-low",
    9000,
    "ByUser",
    everythingBy(groups("system:serviceaccounts")),
  ),
  newFlowSchema("global-default", "global-default", 9900, "ByUser", everythingBy(allUsers())),
];

/** Whether the server maintains the spec of an object: true unless its annotation disables that. */
export function isKeptUpToDate(object: FlowSchema | PriorityLevelConfiguration): boolean {
  const said = object.metadata.annotations?.[autoUpdateAnnotation];
  if (said !== undefined) return said === "true";
  return object.metadata.generation === 1;
}
