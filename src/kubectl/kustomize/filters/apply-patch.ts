/** Upstream: sigs.k8s.io/kustomize/api/resource/resource.go, api/filters/patchjson6902. */
import { apiVersionOf } from "#/machinery/meta/api-version.ts";
import { applyJsonPatch, decodeJsonPatch } from "#/machinery/patch/json-patch.ts";
import { KustomizeError } from "../failure/kustomize-error.ts";
import { readYamlValue } from "../kustomization/read-yaml-value.ts";
import type { SchemaSource } from "../merge/merge-schema.ts";
import { strategicMerge } from "../merge/strategic-merge.ts";
import { buildAnnotations, isInternalAnnotation } from "../resource/build-annotations.ts";
import { copyMetadata } from "../resource/merge-generated.ts";
import type { Resource } from "../resource/resource.ts";
import { jsonOf, nodeOf } from "../yaml/node-value.ts";
import { mappingNode } from "../yaml/yaml-node.ts";

type Operations = ReturnType<typeof decodeJsonPatch>["operations"];

/** Merges a patch into an object; its name and kind stay unless the patch may change them. */
export function mergePatch(resource: Resource, patch: Resource, schemas: SchemaSource): void {
  const { name, namespace, kind } = resource;
  const changesName = patch.isEnabled(buildAnnotations.allowNameChange);
  const changesKind = patch.isEnabled(buildAnnotations.allowKindChange);
  if (changesName || changesKind) resource.rememberId();
  resource.node = strategicMerge(resource.node, patch.node.copy(), schemas) ?? mappingNode();
  if (resource.isEmpty) return;
  if (!changesKind) resource.kind = kind;
  if (!changesName) resource.name = name;
  resource.namespace = namespace;
}

/** Merges a patch into each of several objects; the patch gets the kind of each. */
export function mergePatchInto(
  targets: readonly Resource[],
  patch: Resource,
  schemas: SchemaSource,
): void {
  for (const target of targets) {
    const own = patch.copy();
    copyMetadata(own, patch);
    own.apiVersion = apiVersionOf(target.gvk);
    mergePatch(target, own, schemas);
  }
}

/** The operations of a JSON patch, in JSON or in YAML. */
export function readJsonPatch(text: string): Operations {
  if (text === "") throw new KustomizeError("empty json patch operations");
  const value = text.startsWith("[") ? parseJson(text) : readYamlValue(text);
  return decodeJsonPatch(value, { checked: false }).operations;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new KustomizeError(error instanceof Error ? error.message : String(error), {
      cause: error,
    });
  }
}

/** Applies a JSON patch; build annotations of the object are kept. */
export function jsonPatch(resource: Resource, operations: Operations): void {
  const notes = Object.entries(resource.annotations).filter(([name]) => isInternalAnnotation(name));
  const value = jsonOf(resource.node) as Record<string, unknown>;
  resource.node = nodeOf(applyJsonPatch(value, operations));
  resource.annotations = { ...resource.annotations, ...Object.fromEntries(notes) };
}
