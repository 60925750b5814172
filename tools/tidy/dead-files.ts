import { type Finding, referencesOf, type SourceFile } from "./source-file.ts";

/** Programs, which are run and not imported; and the generated API, which is complete on purpose. */
const entryPoint = /^(bin|bench|tools|test|src\/api)\/|\.test\.ts$/;

/** Every file is imported by another one, or is a program. */
export function checkDeadFiles(files: readonly SourceFile[]): Finding[] {
  const referenced = new Set<string>();
  for (const file of files) {
    for (const target of referencesOf(file)) if (target !== file.path) referenced.add(target);
  }
  return files
    .filter(({ path }) => !entryPoint.test(path) && !referenced.has(path))
    .map(({ path }) => ({
      path,
      line: 1,
      message: "nobody imports this file: use it or delete it",
    }));
}
