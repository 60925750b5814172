import { type Finding, resolveSpecifier, type SourceFile } from "./source-file.ts";

/** Files that are run, not imported; and the generated API, which is complete by intention. */
const entryPoint = /^(bin|bench|tools|test|src\/api)\/|\.test\.ts$/;

/** A path in quotes: an import, or the file of a worker thread. */
const reference = /["'`]((?:#|\.{1,2})\/[^"'`\n]+\.ts)["'`]/g;

/** Every file is imported by another one, or is one that is run. */
export function checkDeadFiles(files: readonly SourceFile[]): Finding[] {
  const referenced = new Set<string>();
  for (const { path, text } of files) {
    for (const [, specifier = ""] of text.matchAll(reference)) {
      const target = resolveSpecifier(path, specifier);
      if (target !== undefined && target !== path) referenced.add(target);
    }
  }
  return files
    .filter(({ path }) => !entryPoint.test(path) && !referenced.has(path))
    .map(({ path }) => ({
      path,
      line: 1,
      message: "nobody imports this file: use it or delete it",
    }));
}
