/** Upstream: sigs.k8s.io/kustomize/api/internal/builtins/PatchStrategicMergeTransformer.go. */
import { KustomizeError } from "../failure/kustomize-error.ts";
import type { Loader } from "../files/loader.ts";
import { mergePatchInto } from "../filters/apply-patch.ts";
import { readFileResources } from "../filters/read-file-resources.ts";
import { list, text } from "../kustomization/shapes.ts";
import { readResources } from "../resource/read-resources.ts";
import type { Resource } from "../resource/resource.ts";
import { decodeConfig, type Plugin } from "./plugin.ts";

interface MergeConfig {
  readonly paths?: readonly string[];
  readonly patches?: string;
}

/** Merges patches into the objects that they name. */
export const patchStrategicMergeTransformer: Plugin = {
  kind: "PatchStrategicMergeTransformer",
  configure(config, { loader, schemas }) {
    const { paths = [], patches: inline = "" } = decodeConfig<MergeConfig>(
      config,
      "PatchStrategicMergeTransformerPlugin",
      { paths: list(text), patches: text },
    );
    if (paths.length === 0 && inline === "") {
      throw new KustomizeError("empty file path and empty patch content");
    }
    const patches = [
      ...paths.flatMap((path) => patchesOf(loader, path)),
      ...(inline === "" ? [] : readResources(inline)),
    ];
    if (patches.length === 0) {
      throw new KustomizeError(
        `patch appears to be empty; files=[${paths.join(" ")}], Patch=${inline}`,
      );
    }
    return {
      transform(map) {
        for (const patch of patches) {
          mergePatchInto([map.getById(patch.originalId)], patch, schemas());
          const left = map.resources.filter(({ isEmpty }) => !isEmpty);
          map.resources = [];
          map.append(left);
        }
      },
    };
  },
};

/** An entry is a patch itself, or the path of one. */
function patchesOf(loader: Loader, entry: string): Resource[] {
  try {
    return readResources(entry);
  } catch {
    return readFileResources(loader, entry);
  }
}
