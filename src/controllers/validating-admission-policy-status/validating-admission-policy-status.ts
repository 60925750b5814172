/** Upstream: pkg/controller/validatingadmissionpolicystatus. */

import {
  type ValidatingAdmissionPolicy,
  validatingAdmissionPolicies,
} from "#/api/admissionregistration/v1.ts";
import type { CachedCatalog } from "#/client/discovery/cached-catalog.ts";
import { controller } from "#/controller/controller.ts";
import {
  checkPolicyTypes,
  type KindName,
  kindsToCheck,
  type PolicyTypes,
} from "#/machinery/cel/admission/check-policy-types.ts";
import { parseApiVersion } from "#/machinery/meta/api-version.ts";
import { TurnBudget } from "#/std/memory/turn-budget.ts";
import type { ManagerOptions } from "../base/manager-options.ts";
import { KindTypes } from "./kind-types.ts";

const fieldManager = "validatingadmissionpolicy-status";

/** Reports expressions of a policy whose types don't match its objects. */
export const validatingAdmissionPolicyStatusController = controller<
  ValidatingAdmissionPolicy,
  ManagerOptions
>({
  name: "validatingadmissionpolicy-status-controller",
  for: validatingAdmissionPolicies,
  workers: ({ flags }) => flags["concurrent-validating-admission-policy-status-syncs"],
  async reconcile(policy, { client, catalog, clock }) {
    const { name = "", generation = 0 } = policy.metadata;
    if (generation <= (policy.status?.observedGeneration ?? 0)) return;
    const kinds = await servedKinds(policy, catalog);
    const types = await findTypes(policy, kinds, new KindTypes(client));
    const warnings = await new TurnBudget(clock).run(checkPolicyTypes(policy, types));
    const status = {
      observedGeneration: generation,
      typeChecking: warnings.length > 0 ? { expressionWarnings: warnings } : {},
    };
    const applied = {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingAdmissionPolicy",
      metadata: { name },
      status,
    };
    const options = { type: "apply", force: true, fieldManager, subresource: "status" } as const;
    await client.patch(validatingAdmissionPolicies, { name }, applied, options);
  },
});

/** The kinds that a policy matches; for an unknown one discovery is refreshed once. */
async function servedKinds(
  policy: ValidatingAdmissionPolicy,
  catalog: CachedCatalog,
): Promise<readonly KindName[]> {
  const known = await catalog.current();
  let isMissing = false;
  const kinds = kindsToCheck(policy, (...names) => {
    const found = known.kindsFor(...names);
    isMissing ||= found.length === 0;
    return found;
  });
  if (!isMissing) return kinds;
  const fresh = await catalog.refresh();
  return kindsToCheck(policy, (...names) => fresh.kindsFor(...names));
}

async function findTypes(
  { spec: { paramKind } = {} }: ValidatingAdmissionPolicy,
  kinds: readonly KindName[],
  types: KindTypes,
): Promise<PolicyTypes> {
  const checked = kinds.map(async (kind) => {
    const found = await types.find(kind);
    return found ? [{ ...kind, ...found }] : [];
  });
  const params =
    paramKind &&
    (await types.find({
      ...parseApiVersion(paramKind.apiVersion ?? ""),
      kind: paramKind.kind ?? "",
    }));
  return { kinds: (await Promise.all(checked)).flat(), params: params?.type };
}
