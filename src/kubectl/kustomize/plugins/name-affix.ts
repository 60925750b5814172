/** Upstream: sigs.k8s.io/kustomize/api/internal/builtins/{Prefix,Suffix}Transformer.go. */
import { changeFields } from "../config/change-fields.ts";
import type { FieldSpec } from "../config/field-spec.ts";
import { KustomizeError } from "../failure/kustomize-error.ts";
import { fieldSpecs, text } from "../kustomization/shapes.ts";
import type { Resource } from "../resource/resource.ts";
import { isSelected } from "../resource/resource-id.ts";
import { setScalar } from "../yaml/edit-node.ts";
import { scalarNode, tags } from "../yaml/yaml-node.ts";
import { decodeConfig, type Transformer } from "./plugin.ts";

/** Kinds whose names must not change. */
const unnamed = [
  { kind: "CustomResourceDefinition" },
  { group: "apiregistration.k8s.io", kind: "APIService" },
  { kind: "Namespace" },
];

/** Adds a prefix or a suffix to names. */
export function nameAffix(config: unknown, side: "prefix" | "suffix"): Transformer {
  const name = side === "prefix" ? "PrefixTransformerPlugin" : "SuffixTransformerPlugin";
  const decoded = decodeConfig<{
    readonly prefix?: string;
    readonly suffix?: string;
    readonly fieldSpecs?: readonly FieldSpec[];
  }>(config, name, { [side]: text, fieldSpecs });
  const { fieldSpecs: specs, [side]: affix = "" } = decoded;
  if (!specs) throw new KustomizeError("fieldSpecs is not expected to be nil");
  return {
    transform(map) {
      for (const resource of map.resources) rename(resource, affix, side, specs);
    },
  };
}

function rename(
  resource: Resource,
  affix: string,
  side: "prefix" | "suffix",
  specs: readonly FieldSpec[],
): void {
  const id = resource.originalId;
  if (unnamed.some((each) => isSelected(id, each))) return;
  for (const spec of specs) {
    if (!isSelected(id, spec)) continue;
    if (spec.path === "metadata/name") {
      if (side === "prefix") resource.addPrefix(affix);
      else resource.addSuffix(affix);
      if (affix !== "") resource.rememberId();
    }
    changeFields(resource.node, spec, {
      change: (field) => {
        const value = side === "prefix" ? affix + field.value : field.value + affix;
        setScalar(field, scalarNode(value));
      },
      create: { kind: "scalar", tag: tags.string },
    });
  }
}
