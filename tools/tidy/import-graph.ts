import {
  type Import,
  importsOf,
  isTest,
  resolveSpecifier,
  type SourceFile,
} from "./source-file.ts";

/** One import inside src, between files that programs run. */
export interface Edge extends Import {
  readonly from: string;
  readonly to: string;
}

/** The imports between production files of src, by the path from the root. */
export function importEdges(files: readonly SourceFile[]): Edge[] {
  return files.filter(isProduction).flatMap((file) =>
    importsOf(file).flatMap((imported) => {
      const to = resolveSpecifier(file.path, imported.specifier);
      return to?.startsWith("src/") ? [{ ...imported, from: file.path, to }] : [];
    }),
  );
}

/** Whether programs run a file of src. */
export function isProduction({ path }: SourceFile): boolean {
  return path.startsWith("src/") && !isTest(path);
}

/** The folder of a file. */
export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}
