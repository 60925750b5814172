import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import type { UpstreamFolders } from "./upstream.ts";

/**
 * Packs upstream's test vectors (every kind as JSON, YAML and protobuf) into one file, which src/testing/vectors.ts reads:
 * a line of JSON, the list of [file name, size], and then the files one after another; all of it compressed.
 */
export function packVectors(upstream: UpstreamFolders): Buffer {
  const files = new Map<string, Buffer>();
  for (const folder of vectorFolders(upstream)) {
    for (const name of readdirSync(folder).sort())
      addVector(files, name, readFileSync(join(folder, name)));
  }
  const names = [...files.keys()].sort();
  const index = names.map((name) => [name, files.get(name)?.length]);
  const body = names.map((name) => files.get(name) ?? Buffer.alloc(0));
  const packed = Buffer.concat([Buffer.from(`${JSON.stringify(index)}\n`), ...body]);
  const { BROTLI_PARAM_LGWIN, BROTLI_MAX_WINDOW_BITS } = constants;
  return brotliCompressSync(packed, { params: { [BROTLI_PARAM_LGWIN]: BROTLI_MAX_WINDOW_BITS } });
}

function vectorFolders(upstream: UpstreamFolders): string[] {
  return [
    join(upstream.api, "testdata/HEAD"),
    join(upstream.apiextensions, "pkg/apis/testdata/HEAD"),
    join(upstream.metrics, "pkg/apis/testdata/HEAD"),
  ];
}

function addVector(files: Map<string, Buffer>, name: string, content: Buffer): void {
  const known = files.get(name);
  if (known && !known.equals(content)) throw new Error(`two different test vectors named ${name}`);
  files.set(name, content);
}
