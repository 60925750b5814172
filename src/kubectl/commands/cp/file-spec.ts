/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/cp/filespec.go. */
import { posix } from "node:path";
import { CommandError } from "../../base/errors.ts";

/** A file on this machine or in a Pod, as the command line names it. */
export interface FileSpec {
  /** "" for a file on this machine. */
  readonly pod: string;
  /** "" for the namespace of the command. */
  readonly namespace: string;
  /** Without a slash at its end. */
  readonly file: string;
}

/** Parses `[[namespace/]pod:]file/path`. */
export function parseFileSpec(text: string): FileSpec {
  const colon = text.indexOf(":");
  if (colon < 0) return { pod: "", namespace: "", file: withoutTrailingSlash(text) };
  const parts = text.slice(0, colon).split("/");
  if (colon === 0 || parts.length > 2) {
    throw new CommandError("filespec must match the canonical format: [[namespace/]pod:]file/path");
  }
  const [namespace = "", pod = ""] = parts.length === 2 ? parts : ["", ...parts];
  return { pod, namespace, file: remotePath(text.slice(colon + 1)) };
}

function withoutTrailingSlash(path: string): string {
  return path !== "/" && path.endsWith("/") ? path.slice(0, -1) : path;
}

/** A path in a container, always with slashes. */
export function remotePath(path: string): string {
  return withoutTrailingSlash(path).replaceAll("\\", "/");
}

/** The normalized path. */
export function cleanPath(path: string): string {
  return withoutTrailingSlash(posix.normalize(path));
}

/** The prefix of names in the archive of a path: without the parts that lead out of the root. */
export function archivePrefix(path: string): string {
  return withoutShortcuts(cleanPath(remotePath(path.replace(/^[/\\]+/, ""))));
}

/** A path without leading `../`. */
function withoutShortcuts(path: string): string {
  const rest = path.replace(/^(?:\.\.\/)+/, "").replace(/^(?:\.\.\\)+/, "");
  if (rest === "." || rest === "..") return "";
  return /^[/\\]/.test(rest) ? rest.slice(1) : rest;
}

/** True if a path is a folder, or inside it. */
export function isWithin(folder: string, path: string): boolean {
  const clean = (text: string): string => withoutTrailingSlash(text).replaceAll("\\", "/");
  const relative = posix.relative(clean(folder), clean(path)) || ".";
  return relative === "." || relative === withoutShortcuts(relative);
}
