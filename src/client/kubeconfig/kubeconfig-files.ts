/** Upstream: staging/src/k8s.io/client-go/tools/clientcmd/loader.go. */
import { homedir } from "node:os";
import { delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { readFileSync } from "#/std/files/node-fs.ts";
import type { Cluster, Kubeconfig, User } from "./kubeconfig.ts";
import { parseKubeconfig } from "./parse-kubeconfig.ts";

/** The files of a kubeconfig, and their merged content. */
export interface LoadedKubeconfig {
  readonly config: Kubeconfig;
  /** Existing files in order of precedence, with their unmerged content. */
  readonly files: readonly KubeconfigFile[];
  /** All paths that were tried. */
  readonly paths: readonly string[];
}

export interface KubeconfigFile {
  readonly path: string;
  readonly config: Kubeconfig;
}

/** The environment variables that decide which files are read. */
interface KubeconfigEnvironment {
  readonly KUBECONFIG?: string | undefined;
  readonly HOME?: string | undefined;
}

/** The paths to read: those of $KUBECONFIG, else ~/.kube/config. */
export function kubeconfigPaths(environment: KubeconfigEnvironment = process.env): string[] {
  const named = environment.KUBECONFIG ?? "";
  if (named === "") return [join(environment.HOME ?? homedir(), ".kube", "config")];
  return [...new Set(named.split(delimiter).filter((path) => path !== ""))];
}

/**
 * Reads a kubeconfig: the file given, which must exist, or those of the environment. In the merge
 * the first definition of a value wins. Paths inside are resolved against the folder of their file,
 * paths of the files themselves against `folder`.
 */
export async function loadKubeconfig(
  explicitPath = "",
  environment: KubeconfigEnvironment = process.env,
  folder = process.cwd(),
): Promise<LoadedKubeconfig> {
  const paths = explicitPath === "" ? kubeconfigPaths(environment) : [explicitPath];
  const files: KubeconfigFile[] = [];
  for (const path of paths) {
    const config = await readKubeconfig(path, folder);
    if (config) files.push({ path: resolve(folder, path), config });
    else if (explicitPath !== "") {
      throw new Error(`stat ${explicitPath}: no such file or directory`);
    }
  }
  const absolute = files.map(({ path, config }) => ({
    path,
    config: withAbsolutePaths(config, dirname(path)),
  }));
  return { config: mergeKubeconfigs(absolute), files, paths };
}

/** The content of a file; undefined if there is none. */
export async function readKubeconfig(
  path: string,
  folder = process.cwd(),
): Promise<Kubeconfig | undefined> {
  try {
    // Synchronous: the file is short and everything depends on it; starting the thread pool would
    // take longer.
    return await parseKubeconfig(readFileSync(resolve(folder, path), "utf8"));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    const reasons: Readonly<Record<string, string>> = {
      EACCES: `open ${path}: permission denied`,
      EISDIR: `read ${path}: is a directory`,
    };
    const reason = reasons[code ?? ""] ?? message;
    throw new Error(`error loading config file "${path}": ${reason}`, { cause: error });
  }
}

/** Merges kubeconfigs: the first definition of a cluster, user or context wins. */
export function mergeKubeconfigs(files: readonly KubeconfigFile[]): Kubeconfig {
  const found = files.map(({ config }) => config);
  const firstOf = <T extends { name: string }>(lists: (T[] | null | undefined)[]): T[] => {
    const byName = new Map<string, T>();
    for (const entry of lists.flatMap((list) => list ?? [])) {
      if (!byName.has(entry.name)) byName.set(entry.name, entry);
    }
    return [...byName.values()];
  };
  return {
    apiVersion: "v1",
    kind: "Config",
    preferences: found.find(({ preferences }) => preferences)?.preferences ?? {},
    clusters: firstOf(found.map(({ clusters }) => clusters)),
    users: firstOf(found.map(({ users }) => users)),
    contexts: firstOf(found.map(({ contexts }) => contexts)),
    "current-context": found.map((config) => config["current-context"]).find((name) => name) ?? "",
  };
}

/** Fields with paths, of clusters and users. */
export const pathFields = [
  "certificate-authority",
  "client-certificate",
  "client-key",
  "tokenFile",
] as const satisfies readonly (keyof Cluster | keyof User)[];

function withAbsolutePaths(config: Kubeconfig, folder: string): Kubeconfig {
  return {
    ...config,
    clusters: (config.clusters ?? []).map((entry) => ({
      ...entry,
      cluster: absolute(entry.cluster ?? {}, folder),
    })),
    users: (config.users ?? []).map((entry) => ({
      ...entry,
      user: absolute(entry.user ?? {}, folder),
    })),
  };
}

function absolute<T extends Cluster & User>(entry: T, folder: string): T {
  const copy = { ...entry };
  for (const field of pathFields) {
    const path = copy[field];
    if (path !== undefined && path !== "" && !isAbsolute(path)) copy[field] = join(folder, path);
  }
  // A command without a slash is looked up in PATH.
  const command = copy.exec?.command ?? "";
  if (copy.exec && command.includes("/") && !isAbsolute(command)) {
    copy.exec = { ...copy.exec, command: join(folder, command) };
  }
  return copy;
}
