import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";

/** One kind with every field set, as upstream writes it in its three formats. */
export interface Vector {
  /** "" for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Indented by two spaces, no newline at the end. */
  readonly json: string;
  readonly yaml: string;
  /** With the `k8s\0` envelope. */
  readonly pb: Buffer;
}

/**
 * The vectors of every built-in kind. The fixture is written by tools/generate-api.
 * Upstream: staging/src/k8s.io/api/testdata/HEAD and its like in apiextensions-apiserver and metrics.
 */
export function* readVectors(): Iterable<Vector> {
  const files = readFiles();
  for (const name of files.keys()) {
    if (!name.endsWith(".json")) continue;
    const stem = name.slice(0, -".json".length);
    const [, group, version, kind] = /^(.+)\.([^.]+)\.([^.]+)$/.exec(stem) ?? [];
    const [json, yaml, pb] = ["json", "yaml", "pb"].map((format) => files.get(`${stem}.${format}`));
    if (!group || !version || !kind || !json || !yaml || !pb)
      throw new Error(`incomplete vector ${stem}`);
    yield {
      group: group === "core" ? "" : group,
      version,
      kind,
      json: json.toString("utf8"),
      yaml: yaml.toString("utf8"),
      pb,
    };
  }
}

function readFiles(): Map<string, Buffer> {
  const packed = brotliDecompressSync(
    readFileSync(join(import.meta.dirname, "fixtures/vectors.br")),
  );
  const end = packed.indexOf("\n");
  const index = JSON.parse(packed.toString("utf8", 0, end)) as [string, number][];
  let offset = end + 1;
  return new Map(
    index.map(([name, sizeBytes]) => {
      const content = packed.subarray(offset, offset + sizeBytes);
      offset += sizeBytes;
      return [name, content];
    }),
  );
}
