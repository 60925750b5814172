import type { Stats } from "node:fs";
import type { Descriptor, EntryName } from "./descriptor.ts";

/** A file of a tree. */
interface Visit {
  /** Undefined for a directory, which is visited from inside, after its entries. */
  readonly name: EntryName | undefined;
  readonly directory: Descriptor;
  /** The file itself; the directory if there is no name. */
  readonly file: Descriptor;
  readonly stats: Stats;
}

interface Level {
  readonly stats: Stats;
  readonly pending: Buffer[];
}

/**
 * Visits all files of a tree, the entries of a directory before the directory, without following links. Two descriptors
 * are open at a time, whatever the depth. Throws if a directory is moved meanwhile.
 */
export function walkTree(root: Descriptor, visit: (found: Visit) => void): void {
  const stats = root.stat();
  if (!stats.isDirectory()) {
    visit({ name: undefined, directory: root, file: root, stats });
    return;
  }
  const levels: Level[] = [{ stats, pending: root.entries() }];
  let here = root.duplicate();
  try {
    for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
      const name = level.pending.pop();
      if (name === undefined) {
        visit({ name, directory: here, file: here, stats: level.stats });
        levels.pop();
        const above = levels.at(-1);
        if (above !== undefined) here = replace(here, parentOf(here, above));
        continue;
      }
      const child = here.find(name);
      if (child === undefined) continue;
      const found = child.stat();
      if (found.isDirectory()) {
        here = replace(here, child);
        levels.push({ stats: found, pending: here.entries() });
        continue;
      }
      using file = child;
      visit({ name, directory: here, file, stats: found });
    }
  } finally {
    here[Symbol.dispose]();
  }
}

function replace(old: Descriptor, next: Descriptor): Descriptor {
  old[Symbol.dispose]();
  return next;
}

/** The directory that the walk came from: another one means that a directory was moved. */
function parentOf(here: Descriptor, { stats }: Level): Descriptor {
  const parent = here.find("..");
  const found = parent?.stat();
  if (parent && found?.ino === stats.ino && found.dev === stats.dev) return parent;
  parent?.[Symbol.dispose]();
  throw new Error("a directory was moved while it was read");
}
