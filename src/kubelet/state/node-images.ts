import { connectRuntime } from "../cri/runtime-service.ts";

/** An image that a node has. */
export interface NodeImage {
  readonly id: string;
  /** Names with tags, or with digests if there are none. */
  readonly names: readonly string[];
  readonly sizeBytes: number;
}

/** The images of a container runtime. */
export async function listImages(endpoint: string): Promise<NodeImage[]> {
  using cri = connectRuntime(endpoint);
  const { images } = await cri.images.ListImages({});
  return images.map(({ id, repoTags, repoDigests, size }) => ({
    id,
    names: repoTags.length > 0 ? repoTags : repoDigests,
    sizeBytes: Number(size),
  }));
}

/** Removes an image with all its names. */
export async function removeImage(endpoint: string, id: string): Promise<void> {
  using cri = connectRuntime(endpoint);
  await cri.images.RemoveImage({ image: { image: id } });
}
