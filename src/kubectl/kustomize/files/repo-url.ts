/** Upstream: sigs.k8s.io/kustomize/api/internal/git/repospec.go. */
import { isAbsolute, normalize } from "node:path";

/** Whether a path is the URL of a file on a web server. */
export function isUrl(path: string): boolean {
  return /^https?:\/\//.test(path);
}

/** Whether a path names a folder in a git repository. */
export function isRepository(path: string): boolean {
  if (isAbsolute(path)) return false;
  const [withoutQuery = ""] = path.split("?");
  const rest = withoutQuery.replace(/^git::/i, "");
  const scheme = /^(?:ssh|https?|file):\/\//i.exec(rest)?.[0].toLowerCase() ?? "";
  const afterScheme = rest.slice(scheme.length);
  const user = /^[a-zA-Z][a-zA-Z0-9-]*@/.exec(afterScheme)?.[0] ?? "";
  const hostAndPath = afterScheme.slice(user.length);
  const isGithub = /^github\.com[/:]/i.test(hostAndPath);
  const takesColon = scheme === "" && (user !== "" || isGithub);
  if (scheme === "" && !takesColon) return false;
  if (scheme === "file://") return hasRepositoryPath(user + hostAndPath, 0);
  const separator = hostAndPath.search(takesColon ? /[/:]/ : /\//);
  const folder = separator < 0 ? "" : hostAndPath.slice(separator + 1);
  return hasRepositoryPath(folder, 2);
}

/** Whether a path has a repository in it: up to `_git/NAME`, `//`, `.git`, or the first segments. */
function hasRepositoryPath(path: string, segments: number): boolean {
  const explicit = /^(.*?_git\/[^/]*)(.*)$|^(.*?)\/\/(.*)$|^(.*?\.git)(.*)$/.exec(path);
  let [repository, folder] = [path, ""];
  if (explicit) {
    repository = explicit[1] ?? explicit[3] ?? explicit[5] ?? "";
    folder = explicit[2] ?? explicit[4] ?? explicit[6] ?? "";
  } else if (segments > 0) {
    const parts = path.split("/");
    if (parts.length < segments) return false;
    repository = parts.slice(0, segments).join("/");
    folder = parts.slice(segments).join("/");
  }
  return repository !== "" && !/^\.\.(?:\/|$)/.test(normalize(folder.replace(/^\//, "")));
}
