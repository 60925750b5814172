import { namespaces } from "#/api/core/v1.ts";
import { notFound } from "#/machinery/meta/status-error.ts";
import { admissionPlugin } from "../base/admission-plugin.ts";
import { findNewest, findObject } from "../base/find-object.ts";

/**
 * Refuses requests in a namespace that does not exist.
 * Upstream: plugin/pkg/admission/namespace/exists/admission.go.
 */
export const namespaceExists = admissionPlugin({
  name: "NamespaceExists",
  offByDefault: true,
  operations: ["CREATE", "UPDATE", "DELETE"],
  validate({ namespace, kind }, { registry }) {
    if (namespace === "" || (kind.kind === "Namespace" && kind.group === "")) return;
    if (findObject(registry, namespaces, "", namespace)) return;
    return findNewest(registry, namespaces, "", namespace).then((newest) => {
      if (!newest) throw notFound(namespaces, namespace);
    });
  },
});
