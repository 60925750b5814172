import type { ContainerImage } from "#/api/core/v1.ts";

/** An image in the runtime's list. */
interface RuntimeImage {
  readonly repoTags: readonly string[];
  readonly repoDigests: readonly string[];
  readonly size: number;
}

const maxNames = 5;

/**
 * The biggest images of the node, with some of their names.
 *
 * Upstream: pkg/kubelet/nodestatus/setters.go.
 */
export function nodeImages(images: readonly RuntimeImage[], maxImages: number): ContainerImage[] {
  const sorted = [...images].sort((a, b) => b.size - a.size);
  return (maxImages < 0 ? sorted : sorted.slice(0, maxImages)).map(
    ({ repoTags, repoDigests, size }) => ({
      names: [...repoDigests, ...repoTags].slice(0, maxNames),
      sizeBytes: size,
    }),
  );
}
