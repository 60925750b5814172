/** Upstream: pkg/volume/hostpath/host_path.go. */
import { closeSync, constants, mkdirSync, openSync } from "node:fs";
import { Descriptor } from "./descriptor.ts";

interface HostPath {
  readonly path: string;
  readonly type: string;
}

type Found = "Directory" | "File" | "Socket" | "CharDevice" | "BlockDevice" | "";

const descriptions: Readonly<Record<string, readonly [Found, string]>> = {
  DirectoryOrCreate: ["Directory", "directory"],
  Directory: ["Directory", "directory"],
  FileOrCreate: ["File", "file"],
  File: ["File", "file"],
  Socket: ["Socket", "socket file"],
  CharDevice: ["CharDevice", "character device"],
  BlockDevice: ["BlockDevice", "block device"],
};

/** Checks that a path of the node has the volume's type, and creates it if the type says so. */
export function ensureHostPath({ path, type }: HostPath): void {
  const [expected, description] = descriptions[type] ?? [];
  if (expected === undefined) throw new Error(`${type} is an invalid volume type`);
  if (type.endsWith("OrCreate") && kindOf(path) === undefined) create(path, expected);
  const kind = kindOf(path);
  if (kind === expected) return;
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

/** Throws if a path of the node doesn't exist. */
export function checkExists({ path }: { readonly path: string }): void {
  if (kindOf(path) === undefined) throw new Error(`path "${path}" does not exist`);
}

/** A Pod may put a link there meanwhile: it is neither followed nor changed. */
function create(path: string, kind: Found): void {
  if (kind === "Directory") {
    if (mkdirSync(path, { recursive: true }) === undefined) return;
    using made = Descriptor.open(path);
    if (made.stat().isDirectory()) made.chmod(0o755);
    return;
  }
  const { O_WRONLY, O_CREAT, O_EXCL } = constants;
  closeSync(openSync(path, O_WRONLY | O_CREAT | O_EXCL, 0o644));
}

/** Undefined if the path doesn't exist. */
function kindOf(path: string): Found | undefined {
  try {
    using found = Descriptor.openFollowing(path);
    const status = found.stat();
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
