/** Upstream: staging/src/k8s.io/kubectl/pkg/describe/describe.go. */
import type { IngressClass } from "#/api/networking/v1.ts";
import type { Describer, KindDescriber } from "../parts/describer.ts";

const describeIngressClass: Describer = (to, { object }) => {
  const { spec } = object as unknown as IngressClass;
  to.head(object.metadata, { namespaced: false });
  to.field(0, "Controller", spec?.controller ?? "");
  if (!spec?.parameters) return;
  to.write(0, "Parameters:\n");
  if (spec.parameters.apiGroup !== undefined) to.field(1, "APIGroup", spec.parameters.apiGroup);
  to.field(1, "Kind", spec.parameters.kind);
  to.field(1, "Name", spec.parameters.name);
};

export const ingressClass: KindDescriber = { describe: describeIngressClass };
