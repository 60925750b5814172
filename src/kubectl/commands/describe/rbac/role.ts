/** Upstream: staging/src/k8s.io/kubectl/pkg/describe/describe.go. */
import type { Role } from "#/api/rbac/v1.ts";
import { compactRules, ruleCells } from "../../../base/compact-rules.ts";
import type { Describer, KindDescriber } from "../parts/describer.ts";

const describeRole: Describer = (to, { object }) => {
  const { rules } = object as unknown as Role;
  to.head(object.metadata, { namespaced: false });
  to.write(0, "PolicyRule:\n");
  to.write(1, "Resources\tNon-Resource URLs\tResource Names\tVerbs\n");
  to.write(1, "---------\t-----------------\t--------------\t-----\n");
  for (const rule of compactRules(rules ?? [])) to.write(1, `${ruleCells(rule)}\n`);
};

export const role: KindDescriber = { describe: describeRole, events: "none" };
