import { createReadStream, statSync } from "node:fs";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { createGzip } from "node:zlib";
import { tarEnd, tarHeader, tarPadding } from "#/std/archive/tar-writer.ts";
import type { ProgramFile } from "./program-files.ts";

interface PackOptions {
  /** The folder that contains everything; none if empty. */
  readonly folder: string;
  /** The time of every file. */
  readonly modifiedMs: number;
}

/** A .tar.gz of files. The same files give the same bytes: sorted, of root, with one time and two modes. */
export function packProgram(
  files: readonly ProgramFile[],
  options: PackOptions,
): AsyncIterable<Uint8Array> {
  return Readable.from(tarOf(files, options), { objectMode: false }).pipe(createGzip({ level: 9 }));
}

async function* tarOf(
  files: readonly ProgramFile[],
  { folder, modifiedMs }: PackOptions,
): AsyncGenerator<Uint8Array> {
  const inside = (path: string): string => (folder === "" ? path : `${folder}/${path}`);
  for (const path of [...(folder === "" ? [] : [folder]), ...foldersOf(files).map(inside)]) {
    yield tarHeader({ name: `${path}/`, kind: "folder", mode: 0o755, modifiedMs });
  }
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  for (const { path, source, isExecutable } of sorted) {
    const sizeBytes = typeof source === "string" ? statSync(source).size : source.length;
    const mode = isExecutable ? 0o755 : 0o644;
    yield tarHeader({ name: inside(path), kind: "file", mode, sizeBytes, modifiedMs });
    if (typeof source === "string") yield* exactly(source, sizeBytes);
    else yield source;
    yield tarPadding(sizeBytes);
  }
  yield tarEnd;
}

/** The bytes of a file; one that changes while it is read would damage the archive. */
async function* exactly(file: string, sizeBytes: number): AsyncGenerator<Uint8Array> {
  let read = 0;
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 })) {
    read += (chunk as Uint8Array).length;
    yield chunk as Uint8Array;
  }
  if (read !== sizeBytes) throw new Error(`${file} changed while it was read`);
}

/** Every folder above the files, sorted. */
function foldersOf(files: readonly ProgramFile[]): string[] {
  const found = new Set<string>();
  for (const { path } of files) {
    for (let folder = dirname(path); folder !== "." && !found.has(folder); ) {
      found.add(folder);
      folder = dirname(folder);
    }
  }
  return [...found].sort();
}
