import { closeSync, constants, openSync } from "node:fs";
import { basename, dirname } from "node:path";

/** Limit of a path of a unix socket (bytes): the kernel's. */
const maxPathBytes = 107;

/** A path by which this process reaches a unix socket. */
export interface SocketPath extends Disposable {
  readonly path: string;
}

/**
 * Opens the way to a unix socket whose path may be longer than the kernel's limit: then it goes through a descriptor of
 * its folder. To be disposed of when the socket is connected, or no longer listened on. Throws if there is no such folder.
 */
export function openSocketPath(path: string): SocketPath {
  if (Buffer.byteLength(path) <= maxPathBytes) return { path, [Symbol.dispose]: () => undefined };
  const folder = openSync(dirname(path), constants.O_RDONLY | constants.O_DIRECTORY);
  return {
    path: `/proc/self/fd/${folder}/${basename(path)}`,
    [Symbol.dispose]: () => closeSync(folder),
  };
}
