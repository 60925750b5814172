/** Upstream: sigs.k8s.io/kustomize/api/internal/builtins/ReplacementTransformer.go. */
import { isJsonObject } from "#/machinery/patch/values/json-value.ts";
import { KustomizeError } from "../failure/kustomize-error.ts";
import type { Loader } from "../files/loader.ts";
import { replaceFields } from "../filters/replace-fields.ts";
import type { Replacement } from "../kustomization/kustomization.ts";
import { readYamlValue } from "../kustomization/read-yaml-value.ts";
import { list, replacementFieldShape, replacementShape } from "../kustomization/shapes.ts";
import { decodeConfig, type Plugin } from "./plugin.ts";

/** Copies values of fields to other fields. */
export const replacementTransformer: Plugin = {
  kind: "ReplacementTransformer",
  configure(config, { loader }) {
    const { replacements = [] } = decodeConfig<{ replacements?: readonly Replacement[] }>(
      config,
      "ReplacementTransformerPlugin",
      { replacements: list(replacementFieldShape) },
    );
    const all = replacements.flatMap((each) => resolved(each, loader));
    return {
      transform(map) {
        for (const each of all) replaceFields(map.resources, each);
      },
    };
  },
};

function resolved(replacement: Replacement, loader: Loader): readonly Replacement[] {
  const { path = "", source, targets = [] } = replacement;
  if (path === "") return [replacement];
  if (source || targets.length > 0) {
    throw new KustomizeError("cannot specify both path and inline replacement");
  }
  const value = readYamlValue(loader.load(path));
  if (!Array.isArray(value) && !isJsonObject(value)) {
    throw new KustomizeError(
      `unsupported replacement type encountered within replacement path: ${goKind(value)}`,
    );
  }
  const items = Array.isArray(value) ? value : [value];
  return decodeConfig<{ items: readonly Replacement[] }>({ items }, "Replacement", {
    items: list(replacementShape),
  }).items;
}

function goKind(value: unknown): string {
  if (value === null) return "invalid";
  if (typeof value === "boolean") return "bool";
  return typeof value === "number" ? "float64" : typeof value;
}
