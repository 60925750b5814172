/** Upstream: sigs.k8s.io/kustomize/api/resource/resource.go, kyaml/yaml/datamap.go. */
import { ensureMapping, setField } from "../yaml/edit-node.ts";
import { isMissingOrNull, stringNode } from "../yaml/yaml-node.ts";
import { allBuildAnnotations, buildAnnotations, originAnnotation } from "./build-annotations.ts";
import type { Resource, StringMap } from "./resource.ts";

/** Takes over the metadata of the object that is replaced, or merged with. */
export function mergeGenerated(made: Resource, old: Resource, behavior: "merge" | "replace"): void {
  const origin = old.annotations[originAnnotation];
  copyMetadata(made, old);
  if (behavior === "replace") return;
  for (const field of ["data", "binaryData"]) {
    setData(made, field, { ...dataOf(old, field), ...dataOf(made, field) });
  }
  if (origin !== undefined) made.annotations = { ...made.annotations, [originAnnotation]: origin };
}

/** Adds the name, labels and annotations of another object; its own take precedence, except for the build annotations. */
export function copyMetadata(made: Resource, old: Resource): void {
  made.labels = { ...old.labels, ...made.labels };
  const own = made.annotations;
  const previous = old.annotations;
  const merged: StringMap = { ...previous, ...own };
  for (const name of allBuildAnnotations) {
    const kept = previous[name];
    if (kept === undefined) delete merged[name];
    else merged[name] = kept;
  }
  if (own[buildAnnotations.needsHashSuffix] === undefined) {
    delete merged[buildAnnotations.needsHashSuffix];
  }
  made.annotations = merged;
  made.name = old.name;
  made.namespace = old.namespace;
  made.varNames.splice(0, made.varNames.length, ...old.varNames);
}

function dataOf({ node }: Resource, field: string): StringMap {
  const entries = (node.field(field)?.entries ?? []).map(({ key, value }) => [
    key.value,
    isMissingOrNull(value) ? "" : value.value,
  ]);
  return Object.fromEntries(entries) as StringMap;
}

function setData({ node }: Resource, field: string, data: StringMap): void {
  node.removeField(field);
  for (const key of Object.keys(data).sort()) {
    setField(ensureMapping(node, field), key, stringNode(data[key] ?? ""));
  }
}
