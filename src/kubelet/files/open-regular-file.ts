import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

/**
 * Opens a file of the node's own disk that a runtime or a Pod has written, for reading. It never blocks: anything but a
 * regular file, such as a pipe, is refused. Some runtimes have links in place of logs; others must not be followed.
 */
export async function openRegularFile(
  path: string,
  { followsLinks }: { readonly followsLinks: boolean },
): Promise<FileHandle> {
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;
  const file = await open(path, O_RDONLY | O_NONBLOCK | (followsLinks ? 0 : O_NOFOLLOW));
  const isRegular = await file.stat().then((stats) => stats.isFile());
  if (isRegular) return file;
  await file.close();
  throw new Error(`${path} is not a regular file`);
}
