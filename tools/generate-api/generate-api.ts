import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { generateFiles } from "./generate-files.ts";
import { packVectors } from "./pack-vectors.ts";
import { downloadUpstream } from "./upstream.ts";

/**
 * `node tools/generate-api/generate-api.ts [--check]` writes src/api and the fixture of test vectors from upstream's
 * published files; with --check it writes nothing, and says which files differ.
 */
function main(args: readonly string[]): number {
  const upstream = downloadUpstream();
  const files = generateFiles(upstream);
  if (args.includes("--check")) {
    const different = differences(files);
    for (const path of different)
      process.stderr.write(`generate-api: src/api/${path} is not what the generator writes\n`);
    return different.length > 0 ? 1 : 0;
  }
  for (const path of generatedPaths()) if (!files.has(path)) rmSync(join(apiFolder, path));
  for (const [path, content] of files) {
    mkdirSync(dirname(join(apiFolder, path)), { recursive: true });
    writeFileSync(join(apiFolder, path), content);
  }
  writeFileSync(join(root, "src/testing/fixtures/vectors.br"), packVectors(upstream));
  return 0;
}

const root = join(import.meta.dirname, "../..");
const apiFolder = join(root, "src/api");

/** The files in src/api that differ from what is generated: other content, missing, or left over. */
function differences(files: ReadonlyMap<string, string>): string[] {
  const present = new Set(generatedPaths());
  const wrong = [...files].filter(
    ([path, content]) =>
      !present.has(path) || readFileSync(join(apiFolder, path), "utf8") !== content,
  );
  const leftOver = [...present].filter((path) => !files.has(path));
  return [...wrong.map(([path]) => path), ...leftOver];
}

/** What lies in the generator's part of src/api: all subfolders, and the two lists. */
function generatedPaths(): string[] {
  return globSync(["*/*", "index.ts", "group-versions.ts"], { cwd: apiFolder });
}

process.exitCode = main(process.argv.slice(2));
