/** Upstream: pkg/volume/hostpath/host_path.go. */
import { chmod, mkdir, stat, writeFile } from "node:fs/promises";
import type { HostPathVolumeSource } from "#/api/core/v1.ts";
import type { VolumePlugin } from "../volume-plugin.ts";

type Found = "Directory" | "File" | "Socket" | "CharDevice" | "BlockDevice" | "";

/** A path of the node. */
export function hostPath(): VolumePlugin {
  return {
    source: "hostPath",
    async setUp({ volume }) {
      const path = volume.hostPath ? await ensureHostPath(volume.hostPath) : "";
      return { path, readOnly: false, follows: false };
    },
    async setUpPersistent({ persistentVolume, readOnly }) {
      const { hostPath: source } = persistentVolume.spec;
      return { path: source ? await ensureHostPath(source) : "", readOnly, follows: false };
    },
  };
}

/** Checks that a path of the node has the volume's type, and creates it if the type says so. */
export async function ensureHostPath({ path, type = "" }: HostPathVolumeSource): Promise<string> {
  if (path.split("/").includes("..")) {
    throw new Error(`invalid HostPath \`${path}\`: must not contain '..'`);
  }
  switch (type) {
    case "":
      return path;
    case "DirectoryOrCreate":
      if ((await kindOf(path)) === undefined) {
        await mkdir(path, { recursive: true });
        await chmod(path, 0o755);
      }
      return expect(path, "Directory", "directory");
    case "FileOrCreate":
      if ((await kindOf(path)) === undefined) await writeFile(path, "", { mode: 0o644 });
      return expect(path, "File", "file");
    case "Directory":
      return expect(path, "Directory", "directory");
    case "File":
      return expect(path, "File", "file");
    case "Socket":
      return expect(path, "Socket", "socket file");
    case "CharDevice":
      return expect(path, "CharDevice", "character device");
    case "BlockDevice":
      return expect(path, "BlockDevice", "block device");
    default:
      throw new Error(`${type} is an invalid volume type`);
  }
}

async function expect(path: string, expected: Found, description: string): Promise<string> {
  const kind = await kindOf(path);
  if (kind === expected) return path;
  if (kind === undefined) {
    throw new Error(
      `hostPath type check failed, ${path} is not a ${description}, unable to determine its type: path "${path}" does not exist`,
    );
  }
  if (kind === "") {
    throw new Error(
      `hostPath type check failed, ${path} is not a ${description}, unable to determine its type: only recognise file, directory, socket, block device and character device`,
    );
  }
  throw new Error(`hostPath type check failed: ${path} is not a ${description}, it's a ${kind}`);
}

/** Undefined if the path doesn't exist. */
async function kindOf(path: string): Promise<Found | undefined> {
  try {
    const status = await stat(path);
    if (status.isDirectory()) return "Directory";
    if (status.isFile()) return "File";
    if (status.isSocket()) return "Socket";
    if (status.isCharacterDevice()) return "CharDevice";
    return status.isBlockDevice() ? "BlockDevice" : "";
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return undefined;
    throw error;
  }
}
