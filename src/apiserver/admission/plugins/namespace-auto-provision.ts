import { type Namespace, namespaces } from "#/api/core/v1.ts";
import { isAlreadyExists } from "#/machinery/meta/status-error.ts";
import type { Registry } from "../../registry/registry.ts";
import { setDefaults } from "../../registry/set-defaults.ts";
import type { Decoded } from "../../registry/strategy.ts";
import { systemContext } from "../../registry/system-context.ts";
import { admissionPlugin } from "../base/admission-plugin.ts";
import { findObject } from "../base/find-object.ts";
import { forbidFor } from "../base/forbid.ts";

/** Creates a missing namespace. Upstream: plugin/pkg/admission/namespace/autoprovision/admission.go. */
export const namespaceAutoProvision = admissionPlugin({
  name: "NamespaceAutoProvision",
  offByDefault: true,
  operations: ["CREATE"],
  mutate(attributes, { registry, enabled }) {
    const { dryRun, namespace, kind } = attributes;
    if (dryRun || namespace === "" || (kind.kind === "Namespace" && kind.group === "")) return;
    if (findObject(registry, namespaces, "", namespace)) return;
    return createNamespace(registry, namespace, enabled).catch((error: Error) => {
      if (!isAlreadyExists(error)) throw forbidFor(attributes, error);
    });
  },
});

async function createNamespace(
  registry: Registry,
  name: string,
  enabled: (feature: string) => boolean,
): Promise<void> {
  const store = registry.store(namespaces);
  const object: Decoded<Namespace> = {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name },
    spec: {},
    status: {},
  };
  setDefaults(store.declaration, object);
  await store.create(object, () => undefined, systemContext(registry, enabled));
}
