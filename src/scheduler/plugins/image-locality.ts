import type { Pod } from "#/api/core/v1.ts";
import { maxNodeScore } from "../framework/plugin.ts";
import type { PluginDeclaration } from "./shared/plugin-declaration.ts";

const mib = 1024 * 1024;
/** Total size of images (bytes) below which the score is 0. */
const minThreshold = 23 * mib;
/** Limit of the size (bytes) counted for each container's image. */
const maxContainerThreshold = 1000 * mib;

/** A name without a tag has the tag latest. */
function normalizedImage(name: string): string {
  return name.lastIndexOf(":") <= name.lastIndexOf("/") ? `${name}:latest` : name;
}

function imagesOf({ spec }: Pod): readonly string[] {
  const containers = [...(spec.initContainers ?? []), ...spec.containers];
  const volumes = (spec.volumes ?? []).flatMap(({ image }) => (image ? [image] : []));
  return [
    ...containers.map(({ image = "" }) => image),
    ...volumes.map(({ reference = "" }) => reference),
  ].map(normalizedImage);
}

/**
 * Prefers nodes that have the pod's images. An image on few nodes counts less, so that not all pods are placed on one node.
 *
 * Upstream: pkg/scheduler/framework/plugins/imagelocality.
 */
export const imageLocality: PluginDeclaration = {
  name: "ImageLocality",
  weight: 1,
  make: () => ({
    score({ pod: { pod }, snapshot }) {
      const images = imagesOf(pod);
      const weights = images.map((image) => {
        return (snapshot.imageSpread(image)?.nodes ?? 0) / snapshot.nodes.length;
      });
      if (weights.every((weight) => weight === 0)) return undefined;
      const max = maxContainerThreshold * images.length;
      return {
        score(node) {
          let sum = 0;
          for (let i = 0; i < images.length; i++) {
            const sizeBytes = node.images.get(images[i] ?? "");
            if (sizeBytes !== undefined) sum += Math.floor(sizeBytes * (weights[i] ?? 0));
          }
          const bounded = Math.min(Math.max(sum, minThreshold), max);
          return Math.floor((maxNodeScore * (bounded - minThreshold)) / (max - minThreshold));
        },
      };
    },
  }),
};
