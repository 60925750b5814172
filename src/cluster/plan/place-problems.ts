import { accessSync, constants, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { ClusterSettings } from "../base/settings.ts";
import { ownRuntimeProblems, runtimeFlagProblems } from "../runtimes/runtime-problems.ts";

/** Disk space (bytes) of a cluster without Pods and images, with some room for its logs. */
const minFreeBytes = 256 * 2 ** 20;
const mebibyte = 2 ** 20;

/** Why a folder can't hold a cluster; undefined if it can. The folder need not exist. */
export function folderProblem(folder: string, minFree = minFreeBytes): string | undefined {
  const place = nearestPlace(folder);
  const problem = writeProblem(folder, place);
  if (problem !== undefined) return problem;
  const { bavail, bsize } = statfsSync(place);
  const free = bavail * bsize;
  if (free >= minFree) return undefined;
  const [has, needs] = [free, minFree].map((bytes) => Math.floor(bytes / mebibyte));
  return `${folder} has ${has} MiB free, but a cluster needs at least ${needs} MiB: make room, or choose another folder with --data-dir`;
}

/** Why a context can't be written to a kubeconfig; undefined if it can. The file need not exist. */
export function kubeconfigProblem(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found && !found.isFile()) return `${file} is no file; choose another with --kubeconfig`;
  const problem = writeProblem(dirname(file), nearestPlace(dirname(file)));
  return problem && `${problem}; choose another file with --kubeconfig`;
}

/** Why the runtime of a node can't be used: the user's, or the one that the node runs. */
export async function runtimePlaceProblems(settings: ClusterSettings): Promise<string[]> {
  const { runtimeEndpoint } = settings;
  const ofFlags = runtimeFlagProblems(settings);
  if (ofFlags.length > 0) return ofFlags;
  if (runtimeEndpoint === undefined) return await ownRuntimeProblems(settings);
  return [runtimeProblem(runtimeEndpoint)].filter((problem) => problem !== undefined);
}

/** Why a container runtime can't be reached at an address. */
function runtimeProblem(endpoint: string): string | undefined {
  const flag = `--container-runtime-endpoint=${endpoint}`;
  const path = /^unix:\/\/(\/.+)$/.exec(endpoint)?.[1];
  if (path === undefined)
    return `${flag} is no socket such as unix:///run/containerd/containerd.sock`;
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return `${flag}: there is no ${path}; is the container runtime running?`;
  return found.isSocket() ? undefined : `${flag}: ${path} is no socket`;
}

/** The path itself, or its nearest ancestor that exists. */
function nearestPlace(path: string): string {
  const isThere = isDirectoryOrFile(path);
  return isThere || dirname(path) === path ? path : nearestPlace(dirname(path));
}

function isDirectoryOrFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    // A file is in the place of a folder: the check of the ancestor reports it.
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return false;
    throw error;
  }
}

/** Why nothing can be created in a folder, judged by its nearest existing ancestor. */
function writeProblem(folder: string, place: string): string | undefined {
  if (!statSync(place).isDirectory()) return `${folder} can't be made: ${place} is no folder`;
  try {
    accessSync(place, constants.W_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Missing root permission is reported elsewhere.
    if (code === "EROFS") return `${folder} can't be made: ${place} is read-only`;
  }
  // File systems of the kernel, such as /proc, can't hold other files.
  const isKernels = place !== folder && statfsSync(place).blocks === 0;
  return isKernels ? `${folder} can't be made: ${place} holds no files` : undefined;
}
