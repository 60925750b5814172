/** Upstream: sigs.k8s.io/kustomize/api/krusty/kustomizer.go. */

import { klog } from "../base/klog.ts";
import type { Context } from "../command/context.ts";
import { doing } from "./failure/kustomize-error.ts";
import { Loader } from "./files/loader.ts";
import { labelAll } from "./filters/label-all.ts";
import { updateNameReferences } from "./filters/name-references.ts";
import { hashTransformer } from "./plugins/hash-transformer.ts";
import { type HelmOptions, isGenerator } from "./plugins/plugin.ts";
import { localConfigAnnotation } from "./resource/build-annotations.ts";
import { clearTransformations, setOrigin } from "./resource/origin.ts";
import type { Resource } from "./resource/resource.ts";
import { sortResources } from "./resource/sort-resources.ts";
import { BuildSchemas } from "./target/build-state.ts";
import { resolveVars } from "./target/resolve-vars.ts";
import { Target } from "./target/target.ts";
import { goSyntax } from "./yaml/go-syntax.ts";
import { hasDuplicateKeys } from "./yaml/node-value.ts";

interface BuildOptions {
  /** True if files may be outside the folder that names them. */
  readonly anyFile?: boolean;
  /** Undefined if Helm is not enabled. */
  readonly helm?: HelmOptions | undefined;
}

/** The version of kustomize that is implemented; a label may contain it. */
const version = "v5.8.1";

/** The objects of a folder with a kustomization.yaml, as YAML documents. */
export async function buildKustomization(
  context: Context,
  folder: string,
  options: BuildOptions = {},
): Promise<string> {
  return await Promise.resolve(printResources(buildResources(context, folder, options)));
}

/** Objects as YAML documents. */
export function printResources(resources: readonly Resource[]): string {
  return resources.map(printed).join("---\n");
}

function printed(resource: Resource): string {
  const decoded = (): string =>
    hasDuplicateKeys(resource.node) ? "map[string]interface {}(nil)" : goSyntax(resource.node);
  return doing(decoded, () => resource.toYaml());
}

/** The objects, in the order in which they are printed. */
export function buildResources(
  context: Context,
  folder: string,
  { anyFile = false, helm }: BuildOptions,
): readonly Resource[] {
  const schemas = new BuildSchemas();
  const warn = (text: string): void => void context.err.write(`${text}\n`);
  using loader = Loader.at(context.path(folder), folder, anyFile);
  const target = new Target(loader, { warn, helm, schemas, buildMetadata: undefined });
  const { kustomization } = target;
  schemas.use(kustomization.openapi, loader, true);
  const accumulated = target.accumulate();
  const { map, config } = accumulated;
  const hash = hashTransformer.configure(undefined, target.helpers);
  if (!isGenerator(hash)) hash.transform(map);
  updateNameReferences(map.resources, config.nameReference);
  const unused = resolveVars(accumulated);
  if (unused.length > 0) {
    klog(
      context,
      "I",
      "log.go:244",
      `well-defined vars that were never replaced: ${unused.join(",")}`,
    );
  }
  const shipped = map.resources.filter(isForServer);
  const sorted = sortResources(shipped, kustomization.sortOptions);
  finish(sorted, kustomization.buildMetadata ?? []);
  return sorted;
}

/** True for objects with the local-config annotation. */
function isForServer({ annotations }: Resource): boolean {
  const local = annotations[localConfigAnnotation];
  return local === undefined || local === "false";
}

/** Removes the build annotations, and adds the requested metadata. */
function finish(resources: readonly Resource[], buildMetadata: readonly string[]): void {
  if (buildMetadata.includes("managedByLabel")) {
    labelAll(resources, "app.kubernetes.io/managed-by", `kustomize-${version}`);
  }
  for (const resource of resources) {
    resource.removeBuildAnnotations();
    if (!buildMetadata.includes("originAnnotations")) setOrigin(resource, undefined);
    if (!buildMetadata.includes("transformerAnnotations")) clearTransformations(resource);
  }
}
