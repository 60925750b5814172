/** Upstream: sigs.k8s.io/kustomize/api/internal/git/repospec.go. */
import { isAbsolute, normalize } from "node:path";
import { parseDuration } from "#/std/go/duration.ts";

/** A folder in a git repository. */
export interface RepoUrl {
  /** The URL for git fetch. */
  readonly repository: string;
  /** The folder in the repository. */
  readonly folder: string;
  /** A branch, tag or commit; empty for the default branch. */
  readonly ref: string;
  readonly hasSubmodules: boolean;
  /** Timeout of each call of git (ms). */
  readonly timeoutMs: number;
}

/** Default timeout of a call of git (ms): enough for a small repository. */
const defaultTimeoutMs = 27_000;

/** Whether a path is the URL of a file on a web server. */
export function isUrl(path: string): boolean {
  return /^https?:\/\//.test(path);
}

/** The folder of a git repository that a path names; undefined if the path names no repository. */
export function parseRepoUrl(path: string): RepoUrl | undefined {
  if (isAbsolute(path)) return undefined;
  const query = path.indexOf("?");
  const place = splitPlace(query < 0 ? path : path.slice(0, query));
  return place && { ...place, ...parseQuery(query < 0 ? "" : path.slice(query + 1)) };
}

function splitPlace(path: string): { repository: string; folder: string } | undefined {
  const rest = path.replace(/^git::/i, "");
  const scheme = /^(?:ssh|https?|file):\/\//i.exec(rest)?.[0].toLowerCase() ?? "";
  const afterScheme = rest.slice(scheme.length);
  const user = /^[a-zA-Z][a-zA-Z0-9-]*@/.exec(afterScheme)?.[0] ?? "";
  const hostAndPath = afterScheme.slice(user.length);
  const isGithub = /^github\.com[/:]/i.test(hostAndPath);
  const takesColon = scheme === "" && (user !== "" || isGithub);
  if (scheme === "" && !takesColon) return undefined;
  if (scheme === "file://") return splitFolder(scheme, user + hostAndPath, 0);
  const separator = hostAndPath.search(takesColon ? /[/:]/ : /\//);
  const host = separator < 0 ? hostAndPath : hostAndPath.slice(0, separator + 1);
  const folder = separator < 0 ? "" : hostAndPath.slice(separator + 1);
  if (!isGithub) return host === "" ? undefined : splitFolder(scheme + user + host, folder, 2);
  const isSsh = scheme === "ssh://" || user !== "";
  return splitFolder(isSsh ? `${user}github.com:` : "https://github.com/", folder, 2);
}

/** Splits a path after its repository: `_git/NAME`, `//`, `.git`, or the first segments. */
function splitFolder(
  host: string,
  path: string,
  segments: number,
): { repository: string; folder: string } | undefined {
  const explicit = /^(.*?_git\/[^/]*)(.*)$|^(.*?)\/\/(.*)$|^(.*?\.git)(.*)$/.exec(path);
  let [repository, folder] = [path, ""];
  if (explicit) {
    repository = explicit[1] ?? explicit[3] ?? explicit[5] ?? "";
    folder = explicit[2] ?? explicit[4] ?? explicit[6] ?? "";
  } else if (segments > 0) {
    const parts = path.split("/");
    if (parts.length < segments) return undefined;
    repository = parts.slice(0, segments).join("/");
    folder = parts.slice(segments).join("/");
  }
  const inner = folder.replace(/^\//, "");
  if (repository === "" || /^\.\.(?:\/|$)/.test(normalize(inner))) return undefined;
  return { repository: host + repository, folder: inner };
}

function parseQuery(text: string): Pick<RepoUrl, "ref" | "hasSubmodules" | "timeoutMs"> {
  const query = new URLSearchParams(text);
  const submodules = query.get("submodules") ?? "";
  return {
    ref: query.get("ref") || (query.get("version") ?? ""),
    hasSubmodules: !/^(?:0|f|F|false|FALSE|False)$/.test(submodules),
    timeoutMs: parseTimeout(query.get("timeout") ?? ""),
  };
}

/** Seconds, or a duration with units. */
function parseTimeout(text: string): number {
  const seconds = /^\d+$/.test(text) ? Number(text) * 1000 : duration(text);
  return seconds > 0 ? seconds : defaultTimeoutMs;
}

function duration(text: string): number {
  try {
    return parseDuration(text) ?? 0;
  } catch {
    return 0;
  }
}
