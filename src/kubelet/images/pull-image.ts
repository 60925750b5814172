import { connectRuntime } from "../cri/runtime-service.ts";
import { withDefaultTag } from "./image-name.ts";

/** Has a runtime pull an image, with the credentials of its own configuration; returns its id or digest. */
export async function pullImage(endpoint: string, image: string): Promise<string> {
  using cri = connectRuntime(endpoint);
  const { imageRef } = await cri.images.PullImage({ image: { image: withDefaultTag(image) } });
  return imageRef;
}
