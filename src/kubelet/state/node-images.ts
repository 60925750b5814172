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
    // A runtime that knows an image by a short name and the whole one lists the whole one twice.
    names: [...new Set(repoTags.length > 0 ? repoTags : repoDigests)],
    sizeBytes: Number(size),
  }));
}

/** Removes an image by its id, with all its names, or by a name: some runtimes then remove only that name. */
export async function removeImage(endpoint: string, image: string): Promise<void> {
  using cri = connectRuntime(endpoint);
  await cri.images.RemoveImage({ image: { image } });
}
