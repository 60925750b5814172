import type { Descriptor } from "./descriptor.ts";

/** Limit of links on the way to a file: the kernel's own. */
const maxLinks = 40;

/** A link, or `..`, that leads out of the directory. */
export class LeavesDirectoryError extends Error {
  override readonly name = "LeavesDirectoryError";
}

/** A part of a path that is still to be walked. */
interface Part {
  readonly name: string;
  /** Whether it comes from a link. */
  readonly isLinked: boolean;
}

/**
 * Opens a path below a directory, part by part. Links are resolved inside the directory: one that leads out of it
 * throws, also if it is put there during the walk. A missing part is created if `create` is given, but never the target
 * of a link.
 */
export function openWithin(
  root: Descriptor,
  path: string,
  create?: (parent: Descriptor, name: string) => Descriptor,
): Descriptor {
  const opened: Descriptor[] = [];
  const here = (): Descriptor => opened.at(-1) ?? root;
  const rest = partsOf(path, false);
  let links = 0;
  try {
    for (let part = rest.pop(); part !== undefined; part = rest.pop()) {
      const { name, isLinked } = part;
      if (name === "..") {
        const last = opened.pop();
        if (last === undefined) throw new LeavesDirectoryError(`${path} leads out of the volume`);
        last[Symbol.dispose]();
        continue;
      }
      const next = here().find(name) ?? (isLinked ? undefined : create?.(here(), name));
      if (next === undefined) throw missing(path);
      if (!next.stat().isSymbolicLink()) {
        opened.push(next);
        continue;
      }
      next[Symbol.dispose]();
      links += 1;
      if (links > maxLinks) throw new Error(`${path}: too many links`);
      rest.push(...followed(here().readLink(name), root, opened));
    }
    return opened.pop() ?? root.duplicate();
  } finally {
    for (const one of opened) one[Symbol.dispose]();
  }
}

/** The parts that replace a link. An absolute link may only lead into the directory, by the node's path of it. */
function followed(target: string, root: Descriptor, opened: Descriptor[]): Part[] {
  if (!target.startsWith("/")) return partsOf(target, true);
  const base = root.realPath;
  if (target !== base && !target.startsWith(`${base}/`)) {
    throw new LeavesDirectoryError(`a link to ${target} leads out of the volume`);
  }
  for (const one of opened.splice(0)) one[Symbol.dispose]();
  return partsOf(target.slice(base.length), true);
}

/** In reverse: the next part is the last. */
function partsOf(path: string, isLinked: boolean): Part[] {
  const names = path.split("/").filter((name) => name !== "" && name !== ".");
  return names.map((name) => ({ name, isLinked })).reverse();
}

function missing(path: string): Error {
  return Object.assign(new Error(`${path}: no such file or directory`), { code: "ENOENT" });
}
