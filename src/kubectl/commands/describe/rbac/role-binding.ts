/** Upstream: staging/src/k8s.io/kubectl/pkg/describe/describe.go. */
import type { RoleBinding } from "#/api/rbac/v1.ts";
import type { Describer, KindDescriber } from "../parts/describer.ts";

const describeBinding: Describer = (to, { object }) => {
  const { roleRef, subjects = [] } = object as unknown as RoleBinding;
  to.head(object.metadata, { namespaced: false });
  to.write(0, "Role:\n");
  to.field(1, "Kind", roleRef.kind);
  to.field(1, "Name", roleRef.name);
  to.write(0, "Subjects:\n");
  to.write(1, "Kind\tName\tNamespace\n");
  to.write(1, "----\t----\t---------\n");
  for (const { kind, name, namespace = "" } of subjects)
    to.write(1, `${kind}\t${name}\t${namespace}\n`);
};

export const roleBinding: KindDescriber = { describe: describeBinding, events: "none" };
