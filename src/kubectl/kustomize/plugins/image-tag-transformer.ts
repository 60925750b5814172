/** Upstream: sigs.k8s.io/kustomize/api/internal/builtins/ImageTagTransformer.go, api/filters/imagetag. */
import { changeAllFields } from "../config/change-fields.ts";
import type { FieldSpec } from "../config/field-spec.ts";
import { changedImage } from "../filters/changed-image.ts";
import type { ImageArgs } from "../kustomization/kustomization.ts";
import { fieldSpecs, imageShape } from "../kustomization/shapes.ts";
import { requireKind, setScalar } from "../yaml/edit-node.ts";
import { scalarNode, type YamlNode } from "../yaml/yaml-node.ts";
import { decodeConfig, type Plugin } from "./plugin.ts";

interface ImageConfig {
  readonly imageTag?: ImageArgs;
  readonly fieldSpecs?: readonly FieldSpec[];
}

/** Changes names, tags and digests of images. */
export const imageTagTransformer: Plugin = {
  kind: "ImageTagTransformer",
  configure(config) {
    const { imageTag = {}, fieldSpecs: specs = [] } = decodeConfig<ImageConfig>(
      config,
      "ImageTagTransformerPlugin",
      { imageTag: imageShape, fieldSpecs },
    );
    const change = (field: YamlNode): void => {
      requireKind(field, "scalar");
      const image = changedImage(field.value, imageTag);
      if (image !== undefined) setScalar(field, scalarNode(image));
    };
    return {
      transform(map) {
        const objects = map.resources.filter(({ kind }) => kind !== "CustomResourceDefinition");
        for (const { node } of objects) changeContainers(node, change);
        for (const { node } of objects) changeAllFields(node, specs, { change });
      },
    };
  },
};

/** Containers are found at any depth, also in kinds that are not built in. */
function changeContainers(node: YamlNode, change: (field: YamlNode) => void): void {
  for (const item of node.items) changeContainers(item, change);
  for (const { key, value } of node.entries) {
    changeContainers(value, change);
    if (key.value !== "containers" && key.value !== "initContainers") continue;
    for (const container of value.items) {
      if (!container.isNull) requireKind(container, "mapping");
      const image = container.field("image");
      if (image) change(image);
    }
  }
}
