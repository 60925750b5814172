/** Upstream: sigs.k8s.io/kustomize/api/internal/target/kusttarget_configplugin.go. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { openFailure } from "#/std/file-errors.ts";
import { CommandError } from "../errors.ts";
import { readDocuments } from "../resource/read-documents.ts";
import type { Accumulated } from "./accumulate.ts";
import type { Kustomization, Replacement } from "./kustomization.ts";
import { applyPatch, applyStrategicPatches } from "./patches.ts";
import { replace } from "./replacements.ts";
import {
  addLabels,
  addToNames,
  type FieldSpecs,
  setImage,
  setNamespace,
  setPairs,
  setReplicas,
} from "./transformers.ts";

/** Does to the resources what a kustomization says, in kustomize's order. */
export async function transform(
  target: Accumulated,
  kustomization: Kustomization,
  folder: string,
): Promise<void> {
  target.specs = await configuredSpecs(target.specs, kustomization.configurations ?? [], folder);
  const { specs } = target;
  const { namespace, namePrefix = "", nameSuffix = "", commonAnnotations } = kustomization;
  const strategic = kustomization.patchesStrategicMerge ?? [];
  if (strategic.length > 0) {
    target.resources = await applyStrategicPatches(target.resources, strategic, folder);
  }
  for (const patch of kustomization.patches ?? []) {
    target.resources = await applyPatch(target.resources, patch, folder);
  }
  const { resources } = target;
  if (namespace) setNamespace(resources, namespace, specs.namespace);
  addToNames(resources, namePrefix, nameSuffix);
  addLabels(resources, kustomization, specs);
  setPairs(resources, commonAnnotations ?? {}, specs.commonAnnotations);
  for (const patch of kustomization.patchesJson6902 ?? []) {
    target.resources = await applyPatch(target.resources, patch, folder);
  }
  for (const replicas of kustomization.replicas ?? []) {
    setReplicas(resources, replicas, specs.replicas);
  }
  for (const image of [...(kustomization.images ?? []), ...(kustomization.imageTags ?? [])]) {
    setImage(resources, image, specs.images);
  }
  for (const replacement of await readReplacements(kustomization, folder)) {
    replace(resources, replacement);
  }
}

async function readReplacements(
  { replacements = [] }: Kustomization,
  folder: string,
): Promise<Replacement[]> {
  const found: Replacement[] = [];
  for (const replacement of replacements) {
    if (!replacement.path) found.push(replacement);
    else found.push(...((await readAll(folder, replacement.path)) as Replacement[]).flat());
  }
  return found;
}

async function readAll(folder: string, path: string): Promise<unknown[]> {
  const file = resolve(folder, path);
  try {
    return [...readDocuments(await readFile(file), path)];
  } catch (error) {
    throw new CommandError(openFailure(file, error), { cause: error });
  }
}

/** The field specifications with those of configuration files. */
async function configuredSpecs(
  specs: FieldSpecs,
  files: readonly string[],
  folder: string,
): Promise<FieldSpecs> {
  let merged = specs;
  for (const file of files) {
    for (const document of await readAll(folder, file)) {
      const added = document as Partial<FieldSpecs>;
      const keys = Object.keys(specs) as (keyof FieldSpecs)[];
      const entries = keys.map((key) => [key, [...merged[key], ...(added[key] ?? [])]] as const);
      merged = Object.fromEntries(entries) as unknown as FieldSpecs;
    }
  }
  return merged;
}
