/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/cp/cp.go (makeTar). */
import { createReadStream, type Stats } from "node:fs";
import { lstat, readdir, readlink } from "node:fs/promises";
import { join, posix } from "node:path";
import { tarEnd, tarHeader, tarPadding } from "#/std/archive/tar-writer.ts";
import { failureReason } from "#/std/files/file-errors.ts";
import { CommandError } from "../../base/errors.ts";

/** Base of relative paths. */
type Resolve = (path: string) => string;

/** An archive of a local file or folder, under another name. */
export async function* packFiles(
  path: string,
  name: string,
  resolve: Resolve,
): AsyncGenerator<Uint8Array> {
  yield* packOne(path, name, resolve);
  yield tarEnd;
}

async function* packOne(path: string, name: string, resolve: Resolve): AsyncGenerator<Uint8Array> {
  const file = resolve(path);
  const stats = await told("lstat", path, lstat(file));
  if (stats.isDirectory()) {
    const names = (await told("open", path, readdir(file))).sort();
    if (names.length === 0) yield headerOf(stats, name, { kind: "folder" });
    for (const each of names) {
      yield* packOne(join(path, each), posix.join(name, each), resolve);
    }
  } else if (stats.isSymbolicLink()) {
    const linkTo = await told("readlink", path, readlink(file));
    yield headerOf(stats, name, { kind: "symlink", linkTo });
  } else {
    yield headerOf(stats, name, { kind: "file", sizeBytes: stats.size });
    yield* contentOf(path, file, stats.size);
    yield tarPadding(stats.size);
  }
}

interface Special {
  readonly kind: "file" | "folder" | "symlink";
  readonly sizeBytes?: number;
  readonly linkTo?: string;
}

function headerOf({ mode, uid, gid, mtimeMs }: Stats, name: string, special: Special): Uint8Array {
  const folderName = special.kind === "folder" ? `${name}/` : name;
  return tarHeader({ name: folderName, mode, uid, gid, modifiedMs: mtimeMs, ...special });
}

/** Exactly the number of bytes in the header: a file that grows is truncated, one that shrinks is an error. */
async function* contentOf(
  path: string,
  file: string,
  sizeBytes: number,
): AsyncGenerator<Uint8Array> {
  if (sizeBytes === 0) return;
  let left = sizeBytes;
  const stream = createReadStream(file, { end: sizeBytes - 1 });
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      left -= chunk.length;
      yield chunk;
    }
  } catch (error) {
    throw new CommandError(`open ${path}: ${failureReason(error)}`, { cause: error });
  }
  if (left > 0) throw new CommandError(`archive/tar: missed writing ${left} bytes`);
}

async function told<T>(what: string, path: string, done: Promise<T>): Promise<T> {
  try {
    return await done;
  } catch (error) {
    throw new CommandError(`${what} ${path}: ${failureReason(error)}`, { cause: error });
  }
}
