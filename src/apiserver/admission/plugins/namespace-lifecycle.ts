import { type Namespace, namespaces } from "#/api/core/v1.ts";
import { forbidden, notFound } from "#/machinery/meta/status-error.ts";
import type { Attributes } from "../../registry/admission.ts";
import type { Decoded } from "../../registry/strategy.ts";
import { admissionPlugin } from "../base/admission-plugin.ts";
import { findNewest, findObject } from "../base/find-object.ts";
import { forbid } from "../base/forbid.ts";

const immortal = new Set(["default", "kube-system", "kube-public"]);
/** Reviews in a namespace that need not exist. */
const reviews = "localsubjectaccessreviews";

/**
 * Refuses creation in a namespace that does not exist or is being deleted, and deletion of three system namespaces.
 * Upstream: staging/src/k8s.io/apiserver/pkg/admission/plugin/namespace/lifecycle/admission.go.
 */
export const namespaceLifecycle = admissionPlugin({
  name: "NamespaceLifecycle",
  operations: ["CREATE", "DELETE"],
  mutate(attributes, { registry }) {
    const { operation, kind, namespace, resource } = attributes;
    if (kind.kind === "Namespace" && kind.group === "") {
      if (operation === "DELETE") refuseImmortal(attributes);
      return;
    }
    if (operation === "DELETE" || namespace === "" || resource.name === reviews) return;
    const found = findObject(registry, namespaces, "", namespace);
    if (found) return refuseTerminating(attributes, found);
    return findNewest(registry, namespaces, "", namespace).then((newest) => {
      if (!newest) throw notFound(namespaces, namespace);
      refuseTerminating(attributes, newest);
    });
  },
});

function refuseImmortal({ resource, name }: Pick<Attributes, "resource" | "name">): void {
  if (immortal.has(name)) throw forbidden(resource, name, "this namespace may not be deleted");
}

function refuseTerminating(
  attributes: Pick<Attributes, "resource" | "name" | "namespace" | "object">,
  { status }: Decoded<Namespace>,
): void {
  if (status?.phase !== "Terminating") return;
  const { namespace } = attributes;
  const error = forbid(
    attributes,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
  );
  const cause = {
    reason: "NamespaceTerminating",
    message: `namespace ${namespace} is being terminated`,
    field: "metadata.namespace",
  };
  error.status.details = { ...error.status.details, causes: [cause] };
  throw error;
}
