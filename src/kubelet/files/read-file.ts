import { closeSync, readSync } from "node:fs";
import { Descriptor } from "./descriptor.ts";
import { openWithin } from "./open-within.ts";

interface ReadRequest {
  /** A path of the node, whose parents no Pod can change. */
  readonly root: string;
  /** Below the root; empty for the root itself, which must then be a regular file. */
  readonly path: string;
  /** Limit (bytes): the rest is not read. */
  readonly maxBytes: number;
  /** Reads the end of the file instead of its start. */
  readonly isEnd?: boolean;
}

/** Reads a regular file that a Pod may have written; anything else, such as a pipe, is refused. */
export function readFile({ root, path, maxBytes, isEnd = false }: ReadRequest): string {
  using base = path === "" ? Descriptor.open(root) : Descriptor.openFollowing(root);
  using file = openWithin(base, path);
  const fd = file.openRegular();
  try {
    const buffer = Buffer.alloc(maxBytes);
    const from = isEnd ? Math.max(0, file.stat().size - maxBytes) : 0;
    const length = readSync(fd, buffer, 0, maxBytes, from);
    return buffer.subarray(0, length).toString();
  } finally {
    closeSync(fd);
  }
}
