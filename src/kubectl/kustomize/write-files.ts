/** Upstream: sigs.k8s.io/kustomize/kustomize/v5/commands/build/writer.go. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Resource } from "./resource/resource.ts";
import { effectiveNamespace } from "./resource/resource-id.ts";
import { isClusterScoped } from "./resource/scope.ts";

/** Writes each object to a file of its own, with its namespace in the file name if there are several namespaces. */
export async function writeFiles(folder: string, resources: readonly Resource[]): Promise<void> {
  const namespaced = resources.filter(({ id }) => !isClusterScoped(id));
  const namespaces = new Set(namespaced.map(({ id }) => effectiveNamespace(id)));
  for (const resource of resources) {
    const { id } = resource;
    const isPrefixed = namespaces.size > 1 && !isClusterScoped(id);
    const prefix = isPrefixed ? `${effectiveNamespace(id).toLowerCase()}_` : "";
    const kind = [id.group, id.version, id.kind].filter((part) => part !== "").join("_");
    const name = `${prefix}${kind.toLowerCase()}_${id.name.toLowerCase()}.yaml`;
    await writeFile(join(folder, name), resource.toYaml());
  }
}
