import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { checkApiFolder, writeApiFolder } from "./api-folder.ts";
import { checkPublishedDefaults } from "./check-published-defaults.ts";
import { generateFiles } from "./generate-files.ts";
import { recordDigest } from "./generated-digest.ts";
import { packVectors } from "./pack-vectors.ts";
import { downloadUpstream, type UpstreamFolders } from "./upstream.ts";

const vectorsFile = join(import.meta.dirname, "../../src/testing/fixtures/vectors.br");

/**
 * `node tools/generate-api/generate-api.ts [--check]` writes src/api and the fixture of test vectors from upstream's
 * published files; with --check it writes nothing, and says what differs.
 */
function main(args: readonly string[]): number {
  const upstream = downloadUpstream();
  const files = generateFiles(upstream);
  if (args.includes("--check")) {
    const wrong = findDifferences(upstream, files);
    for (const text of wrong) process.stderr.write(`generate-api: ${text}\n`);
    return wrong.length > 0 ? 1 : 0;
  }
  writeApiFolder(files);
  writeFileSync(vectorsFile, packVectors(upstream));
  recordDigest();
  return 0;
}

function findDifferences(upstream: UpstreamFolders, files: ReadonlyMap<string, string>): string[] {
  const vectors = brotliDecompressSync(readFileSync(vectorsFile));
  const hasVectors = vectors.equals(brotliDecompressSync(packVectors(upstream)));
  return [
    ...checkApiFolder(files).map((path) => `src/api/${path} is not what it would write`),
    ...(hasVectors ? [] : ["the fixture of vectors is not what it would write"]),
    ...checkPublishedDefaults(upstream).map((field) => `${field}: its default is not upstream's`),
  ];
}

process.exitCode = main(process.argv.slice(2));
