import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkApiFolder, writeApiFolder } from "./api-folder.ts";
import { generateFiles } from "./generate-files.ts";
import { packVectors } from "./pack-vectors.ts";
import { downloadUpstream } from "./upstream.ts";

const vectorsFile = join(import.meta.dirname, "../../src/testing/fixtures/vectors.br");

/**
 * `node tools/generate-api/generate-api.ts [--check]` writes src/api and the fixture of test vectors from upstream's
 * published files; with --check it writes nothing, and says which files of src/api differ.
 */
function main(args: readonly string[]): number {
  const upstream = downloadUpstream();
  const files = generateFiles(upstream);
  if (args.includes("--check")) {
    const different = checkApiFolder(files);
    for (const path of different)
      process.stderr.write(`generate-api: src/api/${path} is not what it would write\n`);
    return different.length > 0 ? 1 : 0;
  }
  writeApiFolder(files);
  writeFileSync(vectorsFile, packVectors(upstream));
  return 0;
}

process.exitCode = main(process.argv.slice(2));
