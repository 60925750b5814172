import { existsSync } from "node:fs";
import { chmod, stat, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Database, type GetOptions, open, type RootDatabase, type Transaction } from "lmdb";
import { settleAll } from "#/std/async/settle-all.ts";
import { NoSpaceError, StorageError } from "../base/storage.ts";
import { syncDirectory } from "../base/sync-directory.ts";
import { assertSoleOwner } from "./directory-lock.ts";
import { migrations, pendingMigrations } from "./format.ts";
import { hasJournal } from "./journal.ts";
import { mapSize } from "./map-size.ts";
import { copyRecordValue, type RecordFields, readRecord } from "./record.ts";
import { corruptStore } from "./storage-failure.ts";
import { checkTreeFile } from "./tree-check.ts";
import { decodeState, encodeState, newState, type TreeState } from "./tree-state.ts";
import type { Version } from "./version.ts";

/**
 * With bigger pages a record of 1 KiB wastes less of one; still bigger ones would make small
 * commits expensive.
 */
const pageSizeBytes = 8192;

/** Limit of readers in LMDB; each sliced range and each snapshot is one. */
const maxReaders = 1000;

/** Free disk space required beyond the size of a commit (bytes), for LMDB's own pages. */
const spareBytes = 1 << 20;

const environmentOptions = {
  noSubdir: false,
  pageSize: pageSizeBytes,
  maxDbs: 2,
  maxReaders,
  // LMDB's classic commit: sync the pages, then write the meta page through a synced descriptor.
  overlappingSync: false,
  eventTurnBatching: false,
};

/** The library's declaration lacks reads of a given transaction and write options. */
type VersionTable = Database<Buffer, number> & {
  put(id: number, value: Buffer, options: { readonly append: boolean }): Promise<boolean>;
  getBinaryFast(id: number, options?: GetOptions): Buffer | undefined;
};

/** The changes of one commit. */
export interface TreeChange {
  /** New versions. */
  readonly put: readonly Version[];
  /** Revisions of existing versions. */
  readonly drop: readonly number[];
  readonly state: Omit<TreeState, "records">;
}

/** The LMDB file: the record of every kept version under its revision, and the state. */
export class Tree implements AsyncDisposable {
  readonly file: string;
  readonly #environment: RootDatabase;
  readonly #versions: VersionTable;
  readonly #meta: Database<Buffer, string>;
  readonly #pins = new Set<Promise<void>>();
  #state: TreeState;
  /** The newest revision: LMDB can append only newer ones. */
  #newest: number;

  private constructor(file: string, environment: RootDatabase, isNew = false) {
    this.file = file;
    this.#environment = environment;
    this.#versions = environment.openDB("versions", { encoding: "binary" });
    this.#meta = environment.openDB("meta", { encoding: "binary" });
    this.#state = isNew ? newState() : this.#readState();
    [this.#newest = 0] = this.#versions.getKeys({ reverse: true, limit: 1 });
  }

  get state(): TreeState {
    return this.#state;
  }

  /**
   * Opens the tree in a directory, or creates it. Throws if it is damaged or open in another
   * process.
   */
  static async open(directory: string): Promise<Tree> {
    const file = join(directory, "data.mdb");
    const isNew = !existsSync(file);
    if (!isNew) checkTreeFile(file);
    else if (hasJournal(directory)) throw corruptStore(file, "it is missing");
    const environment = open({ path: directory, mapSize: mapSize(), ...environmentOptions });
    try {
      await assertSoleOwner(directory);
      const tree = new Tree(file, environment, isNew);
      if (isNew) await tree.#create(directory);
      for (const migrate of pendingMigrations(directory, tree.state.format, migrations)) {
        await migrate(tree);
      }
      return tree;
    } catch (error) {
      await environment.close();
      throw error;
    }
  }

  /** Opens a tree to read it while another process writes to it. */
  static openReadOnly(directory: string): Tree {
    const options = { mapSize: mapSize(), ...environmentOptions, readOnly: true };
    const environment = open({ path: directory, ...options });
    return new Tree(join(directory, "data.mdb"), environment);
  }

  async #create(directory: string): Promise<void> {
    for (const name of ["data.mdb", "lock.mdb"]) await chmod(join(directory, name), 0o600);
    await this.commit({ put: [], drop: [], state: this.state });
    for (const path of [directory, dirname(directory)]) await syncDirectory(path);
  }

  /** All records, by revision. Throws CorruptError at the first damaged one. */
  *records(pin?: TreePin): Generator<{ readonly fields: RecordFields; readonly size: number }> {
    let last = 0;
    for (const revision of this.#versions.getKeys({ ...pin })) {
      const record = this.#versions.getBinaryFast(revision, pin);
      const found = record && readRecord(record, 0);
      const isNext = found?.fields.modRevision === revision && revision > last;
      last = revision;
      if (!record || !found || !isNext) {
        throw corruptStore(this.file, `the record of revision ${revision} is unreadable`);
      }
      yield { fields: found.fields, size: record.length };
    }
  }

  /** The value written at a revision, in the newest state or in a pinned one. */
  read(revision: number, pin?: TreePin): Buffer {
    // Not copied: valid until the next read.
    const record = this.#versions.getBinaryFast(revision, pin);
    if (!record) throw corruptStore(this.file, `the record of revision ${revision} is missing`);
    return copyRecordValue(record);
  }

  /** Keeps the current content of the tree readable until disposed of. */
  pin(): TreePin {
    const transaction = this.#versions.useReadTransaction();
    const { promise: released, resolve } = Promise.withResolvers<void>();
    this.#pins.add(released);
    const release = (): void => {
      transaction.done();
      this.#pins.delete(released);
      resolve();
    };
    const state = this.#readState(transaction);
    return { transaction, state, [Symbol.dispose]: release };
  }

  /** Changes the tree atomically; resolves when that is on disk. */
  async commit({ put, drop, state: changed }: TreeChange): Promise<void> {
    await this.#assertSpace(put);
    const state = { ...changed, records: this.#state.records + put.length - drop.length };
    const written: Promise<boolean>[] = [];
    try {
      const batch = this.#environment.batch(() => {
        for (const { modRevision, pending } of put) {
          if (pending) written.push(this.#put(modRevision, pending.record));
        }
        for (const revision of drop) this.#versions.remove(revision);
        this.#meta.put("state", encodeState(state));
      });
      const [, appended] = await settleAll([batch, Promise.all(written)]);
      if (appended.includes(false)) throw new Error("a record could not be appended");
    } catch (error) {
      throw new StorageError(`${this.file}: ${await commitProblem(error)}`, { cause: error });
    }
    this.#state = state;
  }

  /**
   * Appends a record: a normal put would split a full page into halves and never fill the first.
   * LMDB refuses to append a record that isn't the newest, but the library continues: false if that
   * has happened.
   */
  #put(revision: number, record: Buffer): Promise<boolean> {
    const append = revision > this.#newest;
    if (append) this.#newest = revision;
    return this.#versions.put(revision, record, { append });
  }

  async sizeBytes(): Promise<number> {
    return (await stat(this.file)).size;
  }

  /** Closes the file when no pin is left. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#pins);
    await this.#environment.close();
  }

  #readState(transaction?: Transaction): TreeState {
    const bytes = this.#meta.get("state", transaction ? { transaction } : {});
    const state = bytes && decodeState(bytes);
    if (!state) throw corruptStore(this.file, "its state record is unreadable");
    return state;
  }

  async #assertSpace(put: readonly Version[]): Promise<void> {
    let needed = spareBytes;
    for (const { pending } of put) needed += pending?.record.length ?? 0;
    const { bavail, bsize } = await statfs(dirname(this.file));
    if (bavail * bsize < needed) throw new NoSpaceError(`no space left to write ${this.file}`);
  }
}

/** See Tree.pin(). */
export interface TreePin extends Disposable {
  readonly state: TreeState;
  readonly transaction: Transaction;
}

/** The library rejects with a general error, whose own promise rejects with LMDB's error. */
async function commitProblem(error: unknown): Promise<string> {
  const general = error as Error & { readonly commitError?: Promise<never> };
  try {
    await general.commitError;
  } catch (cause) {
    return (cause as Error).message;
  }
  return general.message;
}
