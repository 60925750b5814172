import { openFailure } from "#/std/file-errors.ts";

/** How kustomize says that a path leads nowhere. Upstream: sigs.k8s.io/kustomize/kyaml/filesys. */
export function symlinkFailure(path: string, error: unknown, name: string = path): string {
  return `evalsymlink failure on '${name}' : ${openFailure(path, error).replace(/^open /, "lstat ")}`;
}
