/** Upstream: k8s.io/client-go/tools/clientcmd/loader.go. */
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import type { Cluster, Kubeconfig, User } from "./kubeconfig.ts";
import { readPlainYaml } from "./plain-yaml.ts";

/** The files that make up a kubeconfig, and what they say together. */
export interface LoadedKubeconfig {
  readonly config: Kubeconfig;
  /** In order of precedence, those that exist, as they are written. */
  readonly files: readonly KubeconfigFile[];
  /** Those that were looked for. */
  readonly paths: readonly string[];
}

export interface KubeconfigFile {
  readonly path: string;
  readonly config: Kubeconfig;
}

/** What decides which files are read. */
export interface KubeconfigEnvironment {
  readonly KUBECONFIG?: string | undefined;
  readonly HOME?: string | undefined;
}

/** The files to read: those of $KUBECONFIG, else ~/.kube/config. */
export function kubeconfigPaths(environment: KubeconfigEnvironment = process.env): string[] {
  const named = environment.KUBECONFIG ?? "";
  if (named === "") return [join(environment.HOME ?? homedir(), ".kube", "config")];
  return [...new Set(named.split(delimiter).filter((path) => path !== ""))];
}

/**
 * Reads a kubeconfig: the file given, which must exist, or those of the environment, merged: the first to say something
 * counts. Paths inside become absolute.
 */
export async function loadKubeconfig(
  explicitPath = "",
  environment: KubeconfigEnvironment = process.env,
): Promise<LoadedKubeconfig> {
  const paths = explicitPath === "" ? kubeconfigPaths(environment) : [explicitPath];
  const files: KubeconfigFile[] = [];
  for (const path of paths) {
    const config = await readKubeconfig(path);
    if (config) files.push({ path, config });
    else if (explicitPath !== "") {
      throw new Error(`stat ${explicitPath}: no such file or directory`);
    }
  }
  return { config: mergeKubeconfigs(files), files, paths };
}

/** What a file says; undefined if there is none. */
export async function readKubeconfig(path: string): Promise<Kubeconfig | undefined> {
  try {
    return await parseKubeconfig(await readFile(path, "utf8"));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    const reason = code === "EACCES" ? `open ${path}: permission denied` : message;
    throw new Error(`error loading config file "${path}": ${reason}`, { cause: error });
  }
}

/** Reads the text of a kubeconfig. */
export async function parseKubeconfig(text: string): Promise<Kubeconfig> {
  const value: unknown = readPlainYaml(text) ?? (await import("yaml")).parse(text) ?? {};
  if (typeof value !== "object" || Array.isArray(value)) {
    throw new Error("couldn't get version/kind; json parse error: not an object");
  }
  return value as Kubeconfig;
}

/** One kubeconfig of several: the first to name a cluster, user or context defines it. */
export function mergeKubeconfigs(files: readonly KubeconfigFile[]): Kubeconfig {
  const found = files.map(({ path, config }) => withAbsolutePaths(config, dirname(resolve(path))));
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

const clusterPaths = ["certificate-authority"] as const satisfies (keyof Cluster)[];
const userPaths = [
  "client-certificate",
  "client-key",
  "tokenFile",
] as const satisfies (keyof User)[];

function withAbsolutePaths(config: Kubeconfig, folder: string): Kubeconfig {
  return {
    ...config,
    clusters: (config.clusters ?? []).map((entry) => ({
      ...entry,
      cluster: absolute(entry.cluster ?? {}, clusterPaths, folder),
    })),
    users: (config.users ?? []).map((entry) => ({
      ...entry,
      user: absolute(entry.user ?? {}, userPaths, folder),
    })),
  };
}

function absolute<T extends object>(entry: T, fields: readonly (keyof T)[], folder: string): T {
  const copy = { ...entry };
  for (const field of fields) {
    const path = copy[field];
    if (typeof path !== "string" || path === "" || isAbsolute(path)) continue;
    copy[field] = join(folder, path) as T[typeof field];
  }
  return copy;
}
