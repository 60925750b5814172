/** Upstream: sigs.k8s.io/kustomize/api/internal/builtins/ReplicaCountTransformer.go. */
import { changeFields } from "../config/change-fields.ts";
import { type FieldSpec, fullGvk } from "../config/field-spec.ts";
import { KustomizeError } from "../failure/kustomize-error.ts";
import { fieldSpecs, replicaShape } from "../kustomization/shapes.ts";
import { gvkText, isSelected } from "../resource/resource-id.ts";
import { setScalar } from "../yaml/edit-node.ts";
import { scalarNode, tags } from "../yaml/yaml-node.ts";
import { decodeConfig, type Plugin } from "./plugin.ts";

interface ReplicaConfig {
  readonly replica?: { readonly name?: string; readonly count?: number };
  readonly fieldSpecs?: readonly FieldSpec[];
}

/** Sets the replicas of the objects of a name. */
export const replicaCountTransformer: Plugin = {
  kind: "ReplicaCountTransformer",
  configure(config) {
    const { replica, fieldSpecs: specs = [] } = decodeConfig<ReplicaConfig>(
      config,
      "ReplicaCountTransformerPlugin",
      { replica: replicaShape, fieldSpecs },
    );
    const { name = "", count = 0 } = replica ?? {};
    return {
      transform(map) {
        let isFound = false;
        for (const spec of specs) {
          for (const { node } of map.withAnyId((id) => id.name === name && isSelected(id, spec))) {
            isFound = true;
            changeFields(node, spec, {
              change: (field) => setScalar(field, scalarNode(String(count), tags.integer)),
              create: { kind: "scalar", tag: tags.integer },
            });
          }
        }
        if (isFound) return;
        const kinds = specs.map((spec) => gvkText(fullGvk(spec)));
        throw new KustomizeError(
          `resource with name ${name} does not match a config with the following GVK [${kinds.join(" ")}]`,
        );
      },
    };
  },
};
