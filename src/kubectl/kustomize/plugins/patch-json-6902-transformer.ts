/** Upstream: sigs.k8s.io/kustomize/api/internal/builtins/PatchJson6902Transformer.go. */
import { goJson } from "#/machinery/values/go-format.ts";
import { messageOf } from "../../base/errors.ts";
import { sortedKeys } from "../../printers/json-printer.ts";
import { KustomizeError } from "../failure/kustomize-error.ts";
import type { Loader } from "../files/loader.ts";
import { jsonPatch, readJsonPatch } from "../filters/apply-patch.ts";
import type { Selector } from "../kustomization/kustomization.ts";
import { readYamlValue } from "../kustomization/read-yaml-value.ts";
import { selectorShape, text } from "../kustomization/shapes.ts";
import { selectResources } from "../resource/select.ts";
import { decodeConfig, type Plugin } from "./plugin.ts";

interface JsonPatchConfig {
  readonly target?: Selector;
  readonly path?: string;
  readonly jsonOp?: string;
}

/** Applies a JSON patch to the selected objects. */
export const patchJson6902Transformer: Plugin = {
  kind: "PatchJson6902Transformer",
  configure(config, { loader }) {
    const {
      target,
      path = "",
      jsonOp = "",
    } = decodeConfig<JsonPatchConfig>(config, "PatchJson6902TransformerPlugin", {
      target: selectorShape,
      path: text,
      jsonOp: text,
    });
    if (!target?.name) throw new KustomizeError("must specify the target name");
    const content = patchText(loader, path, jsonOp);
    const json = content.startsWith("[") ? content : asJson(content);
    const operations = decode(json);
    if (operations.length === 0) {
      throw new KustomizeError(`patch appears to be empty; file=${path}, JsonOp=${json}`);
    }
    return {
      transform(map) {
        for (const resource of selectResources(map.resources, target)) {
          jsonPatch(resource, operations);
        }
      },
    };
  },
};

function asJson(content: string): string {
  return goJson(sortedKeys(readYamlValue(content)));
}

function decode(json: string): ReturnType<typeof readJsonPatch> {
  try {
    return readJsonPatch(json);
  } catch (error) {
    throw new KustomizeError(`decoding ${json}: ${messageOf(error)}`, { cause: error });
  }
}

function patchText(loader: Loader, path: string, jsonOp: string): string {
  if (path === "" && jsonOp === "") throw new KustomizeError("empty file path and empty jsonOp");
  if (path === "") return jsonOp;
  if (jsonOp !== "") throw new KustomizeError("must specify a file path or jsonOp, not both");
  const content = loader.load(path).toString("utf8");
  if (content === "") {
    throw new KustomizeError(`patch file '${path}' empty seems to be empty`);
  }
  return content;
}
