import {
  type CustomResourceDefinition,
  customResourceDefinitions,
} from "#/api/apiextensions/v1.ts";
import { deepCopy } from "#/machinery/deep-copy.ts";
import { deepEqual } from "#/machinery/deep-equal.ts";
import { serve } from "../../registry/strategy.ts";

/**
 * Upstream: apiextensions-apiserver/pkg/registry/customresourcedefinition/strategy.go, pkg/apis/apiextensions/v1/defaults.go.
 */
export const customResourceDefinition = serve(customResourceDefinitions, {
  setDefaults({ spec }) {
    const { names } = spec;
    names.singular ||= names.kind.toLowerCase();
    names.listKind ||= `${names.kind}List`;
    spec.scope ||= "Namespaced";
    spec.conversion ??= { strategy: "None" };
  },
  prepareForCreate(crd) {
    crd.metadata.generation = 1;
    crd.status = { acceptedNames: { plural: "", kind: "" }, storedVersions: storageVersions(crd) };
  },
  prepareForUpdate(crd, old) {
    if (old.status) crd.status = deepCopy(old.status);
    else delete crd.status;
    if (!deepEqual(crd.spec, old.spec))
      crd.metadata.generation = (old.metadata.generation ?? 0) + 1;
    for (const version of storageVersions(crd)) {
      const stored = crd.status?.storedVersions ?? [];
      if (crd.status && !stored.includes(version)) crd.status.storedVersions = [...stored, version];
    }
  },
  deletionFinalizers: ["customresourcecleanup.apiextensions.k8s.io"],
  status: {
    resetFields: ["metadata", "spec"],
  },
  resetFields: ["status"],
  returnsDeletedObject: true,
});

function storageVersions({ spec }: CustomResourceDefinition): string[] {
  return spec.versions.filter(({ storage }) => storage).map(({ name }) => name);
}
