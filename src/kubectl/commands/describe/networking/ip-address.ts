/** Upstream: staging/src/k8s.io/kubectl/pkg/describe/describe.go. */
import type { IPAddress } from "#/api/networking/v1.ts";
import type { Describer, KindDescriber } from "../parts/describer.ts";

const describeIpAddress: Describer = (to, { object }) => {
  const { spec } = object as unknown as IPAddress;
  to.head(object.metadata, { namespaced: false });
  if (!spec?.parentRef) return;
  const { group = "", resource = "", namespace = "", name = "" } = spec.parentRef;
  to.write(0, "Parent Reference:\n");
  to.field(1, "Group", group);
  to.field(1, "Resource", resource);
  to.field(1, "Namespace", namespace);
  to.field(1, "Name", name);
};

export const ipAddress: KindDescriber = { describe: describeIpAddress };
