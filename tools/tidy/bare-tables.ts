import { type Finding, lineAt, type SourceFile } from "./source-file.ts";

/** Folders whose tables are asked with names that clients choose. */
const asked = /^src\/(apiserver|machinery)\//;
const bareTable = /^(?:export )?const (\w+): Readonly<Record<string, .*>> = \{(?!\};$)/gm;

/** Tables of constants that also have the names that every object inherits. */
export function checkBareTables(files: readonly SourceFile[]): Finding[] {
  return files
    .filter(({ path }) => asked.test(path) && !path.endsWith(".test.ts"))
    .flatMap(({ path, text }) =>
      [...text.matchAll(bareTable)].map(({ index, 1: name }) => ({
        path,
        line: lineAt(text, index),
        message: `${name} also has "constructor": make it with table() (#/std/base/table.ts)`,
      })),
    );
}
