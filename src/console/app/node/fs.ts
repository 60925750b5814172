/** What kubectl uses of Node's "fs", on the page's own files. */
import { Buffer } from "./buffer.ts";
import { resolve } from "./path.ts";
import { FileError, files } from "./virtual-files.ts";

type Path = string | URL;
type Encoding = string | { readonly encoding?: string | null } | null | undefined;

export const constants = { F_OK: 0, X_OK: 1, W_OK: 2, R_OK: 4 };

/** Files of k8ts itself are named by the URL of a module: they are below the folder of their version. */
export function pathOf(path: Path): string {
  if (typeof path === "string") return resolve("/", path);
  return path.pathname.replace(/^.*\/v\/[^/]+\//, "/");
}

export function readFileSync(path: Path, options?: Encoding): Buffer | string {
  const bytes = Buffer.from(files.read(pathOf(path)));
  const encoding = typeof options === "string" ? options : options?.encoding;
  return encoding ? bytes.toString(encoding) : bytes;
}

export function writeFileSync(path: Path, data: string | Uint8Array): void {
  files.write(pathOf(path), typeof data === "string" ? Buffer.from(data) : data.slice());
}

export const existsSync = (path: Path): boolean =>
  files.isFile(pathOf(path)) || files.isFolder(pathOf(path));

export function accessSync(path: Path): void {
  if (!existsSync(path)) throw new FileError("ENOENT", "access", pathOf(path));
}

interface Stats {
  readonly size: number;
  readonly mode: number;
  readonly mtimeMs: number;
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
  isFIFO(): boolean;
}

export function statSync(
  path: Path,
  { throwIfNoEntry = true }: { readonly throwIfNoEntry?: boolean } = {},
): Stats | undefined {
  const whole = pathOf(path);
  if (!existsSync(path)) {
    if (!throwIfNoEntry) return undefined;
    throw new FileError("ENOENT", "stat", whole);
  }
  const isFolder = files.isFolder(whole);
  return {
    size: isFolder ? 0 : files.read(whole).length,
    mode: isFolder ? 0o40755 : 0o100644,
    mtimeMs: files.changedMs(whole),
    isFile: () => !isFolder,
    isDirectory: () => isFolder,
    isSymbolicLink: () => false,
    isFIFO: () => false,
  };
}

export const lstatSync = statSync;

interface FolderEntry {
  readonly name: string;
  readonly parentPath: string;
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

export function readdirSync(
  path: Path,
  { withFileTypes = false }: { readonly withFileTypes?: boolean } = {},
): (string | FolderEntry)[] {
  const whole = pathOf(path);
  const names = files.list(whole);
  if (!withFileTypes) return names;
  return names.map((name) => {
    const isFolder = files.isFolder(resolve(whole, name));
    return {
      name,
      parentPath: whole,
      isFile: () => !isFolder,
      isDirectory: () => isFolder,
      isSymbolicLink: () => false,
    };
  });
}

export function mkdirSync(
  path: Path,
  { recursive = false }: { readonly recursive?: boolean } = {},
): void {
  files.makeFolder(pathOf(path), recursive);
}

export function mkdtempSync(prefix: string): string {
  const path = `${pathOf(prefix)}${crypto.randomUUID().slice(0, 6)}`;
  files.makeFolder(path, true);
  return path;
}

export function rmSync(path: Path, { force = false }: { readonly force?: boolean } = {}): void {
  if (!force) accessSync(path);
  files.remove(pathOf(path));
}

export const unlinkSync = (path: Path): void => rmSync(path);

export function renameSync(from: Path, to: Path): void {
  files.write(pathOf(to), files.read(pathOf(from)));
  files.remove(pathOf(from));
}

export function realpathSync(path: Path): string {
  accessSync(path);
  return pathOf(path);
}

/** Names that match a pattern with * and ? in its last word, as kubectl's -f takes it. */
export function globSync(pattern: string): string[] {
  const slash = pattern.lastIndexOf("/");
  const folder = slash < 0 ? "" : pattern.slice(0, slash + 1);
  const escaped = pattern.slice(slash + 1).replace(/[.+^${}()|\\]/g, "\\$&");
  const wanted = new RegExp(`^${escaped.replaceAll("*", ".*").replaceAll("?", ".")}$`);
  const from = pathOf(folder || "/");
  if (!files.isFolder(from)) return [];
  return files
    .list(from)
    .filter((name) => wanted.test(name))
    .map((name) => folder + name);
}

/** Files of the page change only by its own commands: there are no reports. */
export const watch = () => ({
  on: () => undefined,
  close: () => undefined,
  unref: () => undefined,
});
