import type { NodeImage } from "#/kubelet/run.ts";

/** An image found by one of its names, or by its id. */
interface FoundImage {
  readonly image: NodeImage;
  /** Undefined if it was found by its id. */
  readonly name: string | undefined;
}

/** Least length of an id prefix. */
const minIdLength = 8;

/** Finds an image by a name as users write it, or by a prefix of its id. */
export function findImage(images: readonly NodeImage[], asked: string): FoundImage | undefined {
  const candidates = fullNames(asked);
  for (const image of images) {
    const name = image.names.find((one) => candidates.includes(one));
    if (name !== undefined) return { image, name };
  }
  const id = asked.replace(/^sha256:/, "");
  const isId = id.length >= minIdLength && /^[0-9a-f]+$/.test(id);
  const image = images.find((one) => one.id.replace(/^sha256:/, "").startsWith(id));
  return isId && image ? { image, name: undefined } : undefined;
}

/** Docker's registry and the tag latest may be left out. */
function fullNames(asked: string): string[] {
  const last = asked.slice(asked.lastIndexOf("/") + 1);
  const tagged = /[:@]/.test(last) ? asked : `${asked}:latest`;
  return [tagged, `docker.io/${tagged}`, `docker.io/library/${tagged}`];
}
