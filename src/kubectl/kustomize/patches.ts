/** Upstream: sigs.k8s.io/kustomize/api/internal/builtins/Patch*Transformer.go. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { writeYaml } from "#/machinery/codec/yaml-writer.ts";
import { applyJsonPatch, decodeJsonPatch } from "#/machinery/patch/json-patch.ts";
import { goQuote } from "#/std/go-quote.ts";
import { CommandError, messageOf } from "../errors.ts";
import { sortedKeys } from "../printers/json-printer.ts";
import { readDocuments } from "../resource/read-documents.ts";
import type { Unstructured } from "../unstructured.ts";
import { BuildResource, findById, idText, selectResources } from "./build-resource.ts";
import type { Patch } from "./kustomization.ts";
import { strategicMerge } from "./strategic-merge.ts";
import { symlinkFailure } from "./symlink-failure.ts";

/** The resources after one entry of `patches`. */
export async function applyPatch(
  resources: readonly BuildResource[],
  patch: Patch,
  folder: string,
): Promise<BuildResource[]> {
  const { text, source } = await patchText(patch, folder);
  const documents = parsePatch(text, source);
  const [first] = documents;
  if (Array.isArray(first)) {
    if (!patch.target) throw new CommandError(`must specify a target for JSON patch ${source}`);
    for (const resource of selectResources(resources, patch.target)) jsonPatch(resource, first);
    return [...resources];
  }
  const merges = documents as Unstructured[];
  if (patch.target) {
    if (merges.length > 1) {
      throw new CommandError(
        `Multiple Strategic-Merge Patches in one \`patches\` entry is not allowed to set \`patches.target\` field: ${source}`,
      );
    }
    for (const resource of selectResources(resources, patch.target)) {
      for (const merge of merges) mergePatch(resource, merge, patch.options);
    }
  } else {
    for (const merge of merges) mergeById(resources, merge, patch.options);
  }
  return resources.filter(({ object }) => Object.keys(object).length > 0);
}

async function patchText(
  { path = "", patch = "", target }: Patch,
  folder: string,
): Promise<{ text: string; source: string }> {
  if (path === "" && patch === "")
    throw new CommandError("must specify one of patch and path in\n");
  if (path !== "" && patch !== "") {
    throw new CommandError("patch and path can't be set at the same time\n");
  }
  if (patch !== "") return { text: patch, source: `[patch: ${goQuote(patch)}]` };
  const file = resolve(folder, path);
  try {
    return { text: await readFile(file, "utf8"), source: `[path: ${goQuote(path)}]` };
  } catch (error) {
    const config = writeYaml(sortedKeys({ path, ...(target && { target }) }));
    throw new CommandError(
      `trouble configuring builtin PatchTransformer with config: \`\n${config}\`: failed to get the patch file from path(${path}): ${symlinkFailure(file, error)}`,
      { cause: error },
    );
  }
}

function parsePatch(text: string, source: string): unknown[] {
  try {
    const documents = [...readDocuments(Buffer.from(text), source)];
    const isJson = documents.length > 0 && Array.isArray(documents[0]);
    if (isJson || documents.every(isPatchObject)) return documents;
  } catch (error) {
    throw new CommandError(`unable to parse SM or JSON patch from ${source}`, { cause: error });
  }
  throw new CommandError(`unable to parse SM or JSON patch from ${source}`);
}

function isPatchObject(document: unknown): boolean {
  return typeof document === "object" && document !== null && Object.hasOwn(document, "kind");
}

/** Merges a patch into the object that has its kind and name. */
export function mergeById(
  resources: readonly BuildResource[],
  patch: Unstructured,
  options: Patch["options"],
): void {
  const { id } = new BuildResource(patch);
  let target: BuildResource;
  try {
    target = findById(resources, id);
  } catch (error) {
    throw new CommandError(
      `no resource matches strategic merge patch ${goQuote(idText(id))}: ${messageOf(error)}`,
      { cause: error },
    );
  }
  mergePatch(target, patch, options);
}

/** Merges a patch; the object keeps its name, namespace and kind, unless they may change. */
function mergePatch(
  resource: BuildResource,
  patch: Unstructured,
  options: Patch["options"] = {},
): void {
  const { kind, apiVersion } = resource.object;
  const { name, namespace } = resource;
  if (options.allowNameChange || options.allowKindChange) resource.remember();
  const merged = strategicMerge(resource.object, { ...patch, ...(apiVersion && { apiVersion }) });
  resource.object = merged ?? {};
  if (!merged) return;
  if (!options.allowKindChange && kind !== undefined) merged.kind = kind;
  if (!options.allowNameChange) resource.metadata.name = name;
  if (namespace === "") delete resource.metadata.namespace;
  else resource.metadata.namespace = namespace;
}

/** Carries out the operations of a JSON patch. */
export function jsonPatch(resource: BuildResource, patch: unknown): void {
  resource.remember();
  const { operations } = decodeJsonPatch(patch, { checked: false });
  resource.object = applyJsonPatch(resource.object, operations) as Unstructured;
}

/** The resources after all entries of `patchesStrategicMerge`: files, or patches themselves. */
export async function applyStrategicPatches(
  resources: readonly BuildResource[],
  entries: readonly string[],
  folder: string,
): Promise<BuildResource[]> {
  for (const entry of entries) {
    const inline = entry.includes("\n") || entry.trimStart().startsWith("{");
    const { text, source } = await patchText(inline ? { patch: entry } : { path: entry }, folder);
    for (const patch of parsePatch(text, source)) {
      mergeById(resources, patch as Unstructured, undefined);
    }
  }
  return resources.filter(({ object }) => Object.keys(object).length > 0);
}
