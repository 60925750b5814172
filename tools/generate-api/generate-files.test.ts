import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { brotliDecompressSync } from "node:zlib";
import { findDefinitionByName } from "../../src/machinery/schema/definitions.ts";
import { publishedDefault } from "../../src/machinery/schema/published-default.ts";
import { checkApiFolder } from "./api-folder.ts";
import { generateFiles } from "./generate-files.ts";
import { packVectors } from "./pack-vectors.ts";
import { readGeneratedOpenApi } from "./read-generated-open-api.ts";
import { findUpstream } from "./upstream.ts";

const upstream = findUpstream();
const skip = upstream ? false : "Go's module cache does not have upstream's modules";
const source = join(import.meta.dirname, "../../src");

test("src/api is what generateFiles() writes", { skip }, () => {
  if (!upstream) return;
  assert.deepEqual(
    checkApiFolder(generateFiles(upstream)),
    [],
    "run tools/generate-api/generate-api.ts",
  );
});

test("the fixture of vectors is what packVectors() writes", { skip }, () => {
  if (!upstream) return;
  const fixture = readFileSync(join(source, "testing/fixtures/vectors.br"));
  assert.ok(brotliDecompressSync(fixture).equals(brotliDecompressSync(packVectors(upstream))));
});

test("publishedDefault() is what upstream's OpenAPI has, for every field", { skip }, () => {
  if (!upstream) return;
  for (const [name, { properties = {} }] of readGeneratedOpenApi(upstream)) {
    const schema = findDefinitionByName(name);
    for (const [key, { default: expected }] of Object.entries(properties)) {
      const field = schema?.type === "struct" ? schema.fields.get(key) : undefined;
      const isConstant =
        typeof expected === "object" && expected !== null && "constant" in expected;
      if (field && !isConstant)
        assert.deepEqual(publishedDefault(field), expected, `${name}.${key}`);
    }
  }
});
