/** Upstream: sigs.k8s.io/kustomize/api/internal/builtins/PatchTransformer.go. */
import { writeYaml } from "#/machinery/codec/yaml/yaml-writer.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { messageOf } from "../../base/errors.ts";
import { sortedKeys } from "../../printers/json-printer.ts";
import { KustomizeError } from "../failure/kustomize-error.ts";
import { jsonPatch, mergePatch, mergePatchInto, readJsonPatch } from "../filters/apply-patch.ts";
import type { Patch } from "../kustomization/kustomization.ts";
import { patchArgsShape, selectorShape, text } from "../kustomization/shapes.ts";
import { buildAnnotations } from "../resource/build-annotations.ts";
import { readResources } from "../resource/read-resources.ts";
import type { Resource } from "../resource/resource.ts";
import { idText } from "../resource/resource-id.ts";
import type { ResourceMap } from "../resource/resource-map.ts";
import { selectResources } from "../resource/select.ts";
import { decodeConfig, type Plugin, type PluginHelpers } from "./plugin.ts";

type Operations = ReturnType<typeof readJsonPatch>;

/** Patches objects, by strategic merge or with a JSON patch. */
export const patchTransformer: Plugin = {
  kind: "PatchTransformer",
  configure(config, helpers) {
    const patch = decodeConfig<Patch>(config, "PatchTransformerPlugin", {
      path: text,
      patch: text,
      target: selectorShape,
      options: patchArgsShape,
    });
    const { content, source } = patchContent(patch, config, helpers);
    const parsed = parsePatch(content, source);
    if (parsed.merges) {
      const merges = parsed.merges;
      allowChanges(merges, patch);
      return { transform: (map) => mergeAll(map, merges, patch, source, helpers) };
    }
    const { operations = [] } = parsed;
    return {
      transform(map) {
        if (!patch.target) {
          throw new KustomizeError(`must specify a target for JSON patch ${source}`);
        }
        for (const resource of selectResources(map.resources, patch.target)) {
          resource.rememberId();
          jsonPatch(resource, operations);
        }
      },
    };
  },
};

function patchContent(
  { path = "", patch = "" }: Patch,
  config: unknown,
  { loader }: PluginHelpers,
): { content: string; source: string } {
  const inline = patch.trim();
  const shown = (): string => writeYaml(sortedKeys(config));
  if (inline === "" && path === "") {
    throw new KustomizeError(`must specify one of patch and path in\n${shown()}`);
  }
  if (inline !== "" && path !== "") {
    throw new KustomizeError(`patch and path can't be set at the same time\n${shown()}`);
  }
  if (inline !== "") return { content: inline, source: `[patch: ${goQuote(inline)}]` };
  try {
    return { content: loader.load(path).toString("utf8"), source: `[path: ${goQuote(path)}]` };
  } catch (error) {
    throw new KustomizeError(
      `failed to get the patch file from path(${path}): ${messageOf(error)}`,
      { cause: error },
    );
  }
}

function parsePatch(
  content: string,
  source: string,
): { merges?: Resource[]; operations?: Operations } {
  const merges = attempt(() => readResources(content));
  const operations = attempt(() => readJsonPatch(content));
  if (merges && operations && merges.length > 0 && operations.length > 0) {
    throw new KustomizeError(`illegally qualifies as both an SM and JSON patch: ${source}`);
  }
  if (merges) return { merges };
  if (operations) return { operations };
  throw new KustomizeError(`unable to parse SM or JSON patch from ${source}`);
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function allowChanges(merges: readonly Resource[], { options }: Patch): void {
  for (const merge of merges) {
    if (options?.allowNameChange) merge.enable(buildAnnotations.allowNameChange);
    if (options?.allowKindChange) merge.enable(buildAnnotations.allowKindChange);
  }
}

function mergeAll(
  map: ResourceMap,
  merges: readonly Resource[],
  { target }: Patch,
  source: string,
  { schemas }: PluginHelpers,
): void {
  const [only] = merges;
  if (!only) return;
  if (target) {
    if (merges.length > 1) {
      throw new KustomizeError(
        `Multiple Strategic-Merge Patches in one \`patches\` entry is not allowed to set \`patches.target\` field: ${source}`,
      );
    }
    mergePatchInto(selectResources(map.resources, target), only, schemas());
    const left = map.resources.filter(({ isEmpty }) => !isEmpty);
    map.resources = [];
    map.append(left);
    return;
  }
  for (const merge of merges) {
    const id = merge.originalId;
    let resource: Resource;
    try {
      resource = map.getById(id);
    } catch (error) {
      throw new KustomizeError(
        `no resource matches strategic merge patch ${goQuote(idText(id))}: ${messageOf(error)}`,
        { cause: error },
      );
    }
    mergePatch(resource, merge, schemas());
  }
}
