import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const apiFolder = join(import.meta.dirname, "../../src/api");

/** Writes the generated files, given by path below src/api, and removes those of an earlier run that are no more. */
export function writeApiFolder(files: ReadonlyMap<string, string>): void {
  for (const path of generatedPaths()) if (!files.has(path)) rmSync(join(apiFolder, path));
  for (const [path, content] of files) {
    mkdirSync(dirname(join(apiFolder, path)), { recursive: true });
    writeFileSync(join(apiFolder, path), content);
  }
}

/** The paths below src/api that differ from what is generated: other content, missing, or left over. */
export function checkApiFolder(files: ReadonlyMap<string, string>): string[] {
  const present = new Set(generatedPaths());
  const isWrong = (path: string, content: string): boolean =>
    !present.has(path) || readFileSync(join(apiFolder, path), "utf8") !== content;
  const wrong = [...files]
    .filter(([path, content]) => isWrong(path, content))
    .map(([path]) => path);
  return [...wrong, ...[...present].filter((path) => !files.has(path))];
}

/** What lies in the generator's part of src/api: all subfolders but base, and the two lists. */
export function generatedPaths(): string[] {
  return globSync(["!(base)/*", "index.ts", "group-versions.ts"], { cwd: apiFolder });
}
