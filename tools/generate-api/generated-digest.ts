import { createHash } from "node:crypto";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generatedPaths } from "./api-folder.ts";

const root = join(import.meta.dirname, "../..");
const digestFile = join(import.meta.dirname, "generated.sha256");

/** Its input is upstream's, of a version that it names itself. */
const vectors = "src/testing/fixtures/vectors.br";
const generator = "tools/generate-api/*.ts";

/**
 * A digest of the generator and of all that it writes. As the generator records it after each run, a file that was
 * changed by hand, or a generator that was changed and not run, is found on machines without upstream's modules.
 */
export function computeDigest(): string {
  const sources = globSync(generator, { cwd: root }).filter((path) => !path.endsWith(".test.ts"));
  const outputs = generatedPaths().map((path) => `src/api/${path}`);
  const all = createHash("sha256");
  for (const path of [...sources, ...outputs, vectors].sort()) {
    const content = createHash("sha256").update(readFileSync(join(root, path)));
    all.update(`${path} ${content.digest("hex")}\n`);
  }
  return `${all.digest("hex")}\n`;
}

export const recordDigest = (): void => writeFileSync(digestFile, computeDigest());
export const recordedDigest = (): string => readFileSync(digestFile, "utf8");
