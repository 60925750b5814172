import { readFile, rename, writeFile } from "node:fs/promises";

/** Writes a file atomically: after a crash it is either unchanged or complete. */
export async function writeWhole(path: string, text: string, mode = 0o644): Promise<void> {
  // Two processes may write the same file.
  const temporary = `${path}.${process.pid}.new`;
  await writeFile(temporary, text, { mode, flush: true });
  await rename(temporary, path);
}

/** Writes a file only if its content differs, so that programs that watch it do not read it again. */
export async function writeIfChanged(path: string, text: string, mode = 0o600): Promise<void> {
  const now = await readFile(path, "utf8").catch(() => undefined);
  if (now !== text) await writeWhole(path, text, mode);
}
