/** Upstream: sigs.k8s.io/kustomize/api/internal/image, api/filters/imagetag/updater.go. */
import type { ImageArgs } from "../kustomization/kustomization.ts";

/** An image with another name, tag or digest; undefined if the change is for another image. */
export function changedImage(image: string, args: ImageArgs): string | undefined {
  if (!isMeant(image, args.name ?? "")) return undefined;
  const parts = splitImage(image);
  const name = args.newName || parts.name;
  const { newTag = "", digest = "", tagSuffix = "" } = args;
  if (newTag || digest) return joined(name, newTag, digest);
  if (tagSuffix) return joined(name, parts.tag + tagSuffix, "");
  return joined(name, parts.tag, parts.digest);
}

function isMeant(image: string, name: string): boolean {
  try {
    return new RegExp(`^${name}(:[a-zA-Z0-9_.{}-]*)?(@sha256:[a-zA-Z0-9_.{}-]*)?$`).test(image);
  } catch {
    return false;
  }
}

function joined(name: string, tag: string, digest: string): string {
  return `${name}${tag && `:${tag}`}${digest && `@${digest}`}`;
}

function splitImage(image: string): { name: string; tag: string; digest: string } {
  const slash = Math.max(image.indexOf("/"), 0);
  const [, name = "", tag = "", digest = ""] =
    /^([^:@]*)(?::([^@]*))?(?:@(.*))?$/.exec(image.slice(slash)) ?? [];
  return { name: image.slice(0, slash) + name, tag, digest };
}
