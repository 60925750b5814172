import { mkdir, open, readdir, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { compareText } from "#/std/text/compare-text.ts";
import { isId } from "./volume-record.ts";

const recordFile = "record.json";
const contentName = "content";
/** A folder that is being made, or removed: a process that was killed has left it, and its successor removes it. */
const unfinished = /\.(new|gone)$/;

/** The folders of items of one kind, each with a record and a content. A folder appears and disappears as a whole. */
export class ItemFolder<R extends { readonly id: string }> {
  readonly path: string;
  readonly #items = new Map<string, R>();

  constructor(path: string) {
    this.path = path;
  }

  async open(): Promise<void> {
    await mkdir(this.path, { recursive: true, mode: 0o700 });
    for (const name of (await readdir(this.path)).filter(isId)) {
      const text = await readFile(join(this.path, name, recordFile), "utf8");
      this.#items.set(name, JSON.parse(text));
    }
  }

  contentOf(id: string): string {
    return join(this.path, id, contentName);
  }

  find(id: string): R | undefined {
    return this.#items.get(id);
  }

  /** All items, in the order of their ids. */
  list(): R[] {
    return [...this.#items.values()].sort((a, b) => compareText(a.id, b.id));
  }

  /** Adds an item, after `fill` has made its content at a path. */
  async add(record: R, fill: (content: string) => Promise<void>): Promise<void> {
    const making = join(this.path, `${record.id}.new`);
    await mkdir(making, { mode: 0o700 });
    await fill(join(making, contentName));
    await this.#write(making, record);
    await rename(making, join(this.path, record.id));
    this.#items.set(record.id, record);
    await syncFolder(this.path);
  }

  /** Replaces the record of an item. */
  async update(record: R): Promise<void> {
    await this.#write(join(this.path, record.id), record);
    this.#items.set(record.id, record);
  }

  /** Takes an item away; its folder is then unfinished. */
  async remove(id: string): Promise<void> {
    await rename(join(this.path, id), join(this.path, `${id}.gone`));
    this.#items.delete(id);
    await syncFolder(this.path);
  }

  /** The folders of items that are being made or removed, by this process or one that was killed. */
  async unfinished(id?: string): Promise<{ readonly path: string; readonly content: string }[]> {
    const names = (await readdir(this.path)).filter((name) => unfinished.test(name));
    return names
      .filter((name) => id === undefined || name.replace(unfinished, "") === id)
      .map((name) => join(this.path, name))
      .map((path) => ({ path, content: join(path, contentName) }));
  }

  async #write(folder: string, record: R): Promise<void> {
    const path = join(folder, recordFile);
    const file = await open(`${path}.new`, "w", 0o600);
    try {
      await file.writeFile(`${JSON.stringify(record)}\n`);
      await file.datasync();
    } finally {
      await file.close();
    }
    await rename(`${path}.new`, path);
    await syncFolder(folder);
  }
}

/** Makes names in a folder durable. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
