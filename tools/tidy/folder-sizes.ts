import { folderOf, isProduction } from "./import-graph.ts";
import type { Finding, SourceFile } from "./source-file.ts";

/** Limit of the source files directly in one folder: as many as fit on a screen. */
const maxFiles = 30;

/** No folder of src has more files than the limit. */
export function checkFolderSizes(files: readonly SourceFile[]): Finding[] {
  const sizes = new Map<string, number>();
  for (const file of files.filter(isProduction)) {
    const folder = folderOf(file.path);
    sizes.set(folder, (sizes.get(folder) ?? 0) + 1);
  }
  return [...sizes]
    .filter(([, size]) => size > maxFiles)
    .map(([path, size]) => {
      const message = `${size} source files in one folder, at most ${maxFiles}: divide it by what they are about`;
      return { path, line: 1, message };
    });
}
