/** Upstream: pkg/controller/clusterroleaggregation. */
import { type ClusterRole, clusterRoles, type PolicyRule } from "#/api/rbac/v1.ts";
import { keyOf } from "#/client/object-key.ts";
import { controller, watch } from "#/controller/controller.ts";
import { compileLabelSelector } from "#/machinery/meta/label-selector.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import type { ManagerOptions } from "../base/manager-options.ts";

const name = "clusterrole-aggregation-controller";

/** Writes the rules of aggregated ClusterRoles. */
export const clusterRoleAggregationController = controller<ClusterRole, ManagerOptions>({
  name,
  for: clusterRoles,
  queue: "ClusterRoleAggregator",
  workers: 5,
  watches: [
    watch(clusterRoles, (_, { informers }) =>
      informers
        .informer(clusterRoles)
        .store.list()
        .filter(({ aggregationRule }) => aggregationRule)
        .map(keyOf),
    ),
  ],
  async reconcile(role, { client, informers }) {
    if (!role.aggregationRule) return;
    const rules = aggregatedRules(role, informers.informer(clusterRoles).store.list());
    if (deepEqual(rules, role.rules ?? [])) return;
    const desired = {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: role.metadata.name },
      rules,
    };
    const ref = { name: role.metadata.name ?? "" };
    await client.patch(clusterRoles, ref, desired, {
      type: "apply",
      force: true,
      fieldManager: name,
    });
  },
});

/** The rules of all selected roles, in the order of their names, without duplicates. */
function aggregatedRules(role: ClusterRole, all: readonly ClusterRole[]): PolicyRule[] {
  const selectors = role.aggregationRule?.clusterRoleSelectors ?? [];
  const rules: PolicyRule[] = [];
  for (const selector of selectors.map(compileLabelSelector)) {
    const chosen = all
      .filter((one) => one.metadata.name !== role.metadata.name)
      .filter(({ metadata }) => selector.matches(metadata.labels ?? {}))
      .sort((a, b) => ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1));
    for (const rule of chosen.flatMap((one) => one.rules ?? [])) {
      if (!rules.some((known) => deepEqual(known, rule))) rules.push(rule);
    }
  }
  return rules;
}
