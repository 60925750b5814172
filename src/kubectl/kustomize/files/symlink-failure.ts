/** Upstream: sigs.k8s.io/kustomize/kyaml/filesys, path/filepath of Go. */
import { lstatSync } from "node:fs";
import { dirname } from "node:path";
import { failureReason } from "#/std/files/file-errors.ts";

/** kustomize's message for a path that doesn't exist: it names the first missing part. */
export function symlinkFailure(path: string, error: unknown, name: string = path): string {
  const { code } = error as NodeJS.ErrnoException;
  const reason = failureReason(error);
  const shown = code === "ENOTDIR" ? reason : `lstat ${firstMissing(path)}: ${reason}`;
  return `evalsymlink failure on '${name}' : ${shown}`;
}

function firstMissing(path: string): string {
  const parent = dirname(path);
  if (parent === path || lstatSync(parent, { throwIfNoEntry: false })) return path;
  return firstMissing(parent);
}
