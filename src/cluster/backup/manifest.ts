import { isAbsolute, normalize } from "node:path";
import { CommandFailure } from "../base/command-failure.ts";

/** What a snapshot says of itself: the first file of its archive. */
export interface SnapshotManifest {
  readonly format: typeof formatVersion;
  /** The name of the cluster. */
  readonly cluster: string;
  /** RFC 3339. */
  readonly created: string;
  /** The version of k8ts that wrote it. */
  readonly version: string;
  readonly kubernetesVersion: string;
  /** The revision of the store. */
  readonly revision: number;
  readonly files: readonly SnapshotFile[];
}

/** A file of the cluster's folder. */
export interface SnapshotFile {
  /** Below the cluster's folder. */
  readonly path: string;
  readonly mode: number;
  readonly sha256: string;
}

export const formatVersion = 1;

/** The settings of the cluster, and the folders of which a snapshot has all files. */
export const settingsPath = "cluster.json";
export const savedFolders = [
  "pki",
  "config/kubelet.d",
  "config/static-pods",
  "config/registries",
] as const;

/** Parses and checks the manifest of an archive, which may come from anywhere. */
export function parseManifest(text: string): SnapshotManifest {
  let found: Partial<SnapshotManifest>;
  try {
    found = JSON.parse(text) as Partial<SnapshotManifest>;
  } catch {
    throw new CommandFailure("this is no snapshot of a cluster");
  }
  if (found.format !== formatVersion) {
    throw new CommandFailure(
      `the snapshot has format ${found.format}, this k8ts reads ${formatVersion}; it was written by ${found.version}`,
    );
  }
  const { cluster, created, version, kubernetesVersion, revision, files } = found;
  const isWhole =
    [cluster, created, version, kubernetesVersion].every((one) => typeof one === "string") &&
    Number.isSafeInteger(revision) &&
    Array.isArray(files) &&
    files.every(isFile);
  if (!isWhole) throw new CommandFailure("the snapshot does not say what it contains");
  return found as SnapshotManifest;
}

/** Only files that a snapshot may have: no other file of the machine is written. */
function isFile(file: Partial<SnapshotFile> | null): boolean {
  if (!file || typeof file.path !== "string" || typeof file.sha256 !== "string") return false;
  const { path, mode } = file;
  if (
    !Number.isInteger(mode) ||
    ((mode ?? 0) & ~0o777) !== 0 ||
    isAbsolute(path) ||
    normalize(path) !== path
  )
    return false;
  if (path.split("/").includes("..") || path.includes("\0")) return false;
  return path === settingsPath || savedFolders.some((folder) => path.startsWith(`${folder}/`));
}
