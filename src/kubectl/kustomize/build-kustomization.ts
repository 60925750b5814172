/** Upstream: sigs.k8s.io/kustomize/api/internal/target/kusttarget.go. */
import { writeYaml } from "#/machinery/codec/yaml-writer.ts";
import type { Context } from "../context.ts";
import { sortedKeys } from "../printers/json-printer.ts";
import { accumulate, type BuildOptions } from "./accumulate.ts";
import type { BuildResource } from "./build-resource.ts";
import { hashSuffix } from "./generators.ts";
import type { Kustomization } from "./kustomization.ts";
import { updateNameReferences } from "./name-references.ts";

/** The objects that a folder with a kustomization.yaml describes, as YAML documents. */
export async function buildKustomization(
  context: Context,
  folder: string,
  options: BuildOptions = {},
): Promise<string> {
  const { resources, specs, kustomization } = await accumulate(context, folder, options);
  for (const resource of resources) {
    if (resource.needsHash) resource.rename(`${resource.name}-${hashSuffix(resource.object)}`);
  }
  updateNameReferences(resources, specs.nameReference);
  return sortResources(resources.filter(isForServer), kustomization)
    .map(({ object }) => writeYaml(sortedKeys(object)))
    .join("---\n");
}

/** Objects that are only for tools say so. */
function isForServer({ metadata }: BuildResource): boolean {
  return metadata.annotations?.["config.kubernetes.io/local-config"] === undefined;
}

const orderFirst =
  "Namespace ResourceQuota StorageClass CustomResourceDefinition ServiceAccount PodSecurityPolicy Role ClusterRole RoleBinding ClusterRoleBinding ConfigMap Secret Endpoints Service LimitRange PriorityClass PersistentVolume PersistentVolumeClaim Deployment StatefulSet CronJob PodDisruptionBudget".split(
    " ",
  );
const orderLast = ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"];

/** By kinds, or as they came if that is asked for. */
function sortResources(
  resources: readonly BuildResource[],
  { sortOptions }: Kustomization,
): readonly BuildResource[] {
  if (sortOptions?.order === "fifo") return resources;
  const first = sortOptions?.legacySortOptions?.orderFirst ?? orderFirst;
  const last = sortOptions?.legacySortOptions?.orderLast ?? orderLast;
  const rank = (kind: string): number => {
    if (first.includes(kind)) return first.indexOf(kind) - first.length;
    return last.includes(kind) ? 1 + last.indexOf(kind) : 0;
  };
  const keyOf = ({ id }: BuildResource): string =>
    `${id.group || "~G"}_${id.version || "~V"}_${id.kind}|${id.namespace || "~X"}|${id.name}`;
  return resources.toSorted((left, right) => {
    const byKind = rank(left.id.kind) - rank(right.id.kind);
    if (byKind !== 0) return byKind;
    return keyOf(left) < keyOf(right) ? -1 : 1;
  });
}
