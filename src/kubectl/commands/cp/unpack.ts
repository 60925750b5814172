/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/cp/cp.go (untarAll). */
import { type FileHandle, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type ReadEntry, readTar, TarError } from "#/std/archive/tar-reader.ts";
import { failureReason, folderFailure } from "#/std/files/file-errors.ts";
import { makeFolders } from "#/std/files/make-folders.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { CommandError } from "../../base/errors.ts";
import type { Context } from "../../command/context.ts";
import { archivePrefix, isWithin, remotePath } from "./file-spec.ts";

/** The source of an archive, and the target of its files. */
interface Unpacking {
  readonly namespace: string;
  readonly pod: string;
  /** The path in the Pod. */
  readonly from: string;
  /** The path on this machine, as the command line has it. */
  readonly to: string;
}

/** Writes the files of an archive below a path. Nothing is written elsewhere, and no links are created. */
export async function unpackFiles(
  context: Context,
  unpacking: Unpacking,
  archive: AsyncIterable<Uint8Array>,
): Promise<void> {
  const prefix = archivePrefix(unpacking.from);
  let hasWarned = false;
  try {
    for await (const entry of readTar(archive)) {
      // All names begin with the requested path, unless the archive was manipulated.
      if (!entry.name.startsWith(prefix)) throw new CommandError("tar contents corrupted");
      const path = join(unpacking.to, remotePath(entry.name.slice(prefix.length)));
      if (!isWithin(unpacking.to, path)) {
        context.err.write(
          `warning: file ${goQuote(path)} is outside target destination, skipping\n`,
        );
      } else if (entry.kind === "symlink") {
        await makeFolder(context, dirname(path));
        context.err.write(linkWarning(path, entry, hasWarned ? undefined : unpacking));
        hasWarned = true;
      } else await writeEntry(context, path, entry);
    }
  } catch (error) {
    throw error instanceof TarError ? new CommandError(error.message, { cause: error }) : error;
  }
}

/** Only the first warning includes the advice. */
function linkWarning(path: string, { linkTo }: ReadEntry, hint: Unpacking | undefined): string {
  const text = `warning: skipping symlink: ${goQuote(path)} -> ${goQuote(linkTo)}`;
  if (!hint) return `${text}\n`;
  const { namespace, pod, from } = hint;
  const instead = `kubectl exec -n ${goQuote(namespace)} ${goQuote(pod)} -- tar cf - ${goQuote(from)} | tar xf -`;
  return `${text} (consider using "${instead}")\n`;
}

async function writeEntry(
  context: Context,
  path: string,
  { kind, content }: ReadEntry,
): Promise<void> {
  makeFolder(context, dirname(path));
  if (kind === "folder") {
    makeFolder(context, path);
    return;
  }
  await using file = await create(context, path);
  for await (const chunk of content) await file.writeFile(chunk);
}

function makeFolder(context: Context, path: string): void {
  try {
    makeFolders(path, { mode: 0o755, from: context.cwd });
  } catch (error) {
    throw new CommandError(folderFailure(error), { cause: error });
  }
}

async function create(context: Context, path: string): Promise<FileHandle> {
  try {
    return await open(context.path(path), "w");
  } catch (error) {
    throw new CommandError(`open ${path}: ${failureReason(error)}`, { cause: error });
  }
}
