import { constants, existsSync } from "node:fs";
import { type FileHandle, open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { AmbiguousWriteError, StorageError } from "../base/storage.ts";
import { syncDirectory } from "../base/sync-directory.ts";
import { type RecordFields, readRecord } from "./record.ts";
import { corruptStore, toStorageError } from "./storage-failure.ts";
import { firstRevision } from "./versions.ts";

/*
 * The journal makes a group of writes durable with one synced, sequential write. It has two files
 * that take turns: while a checkpoint moves one to the tree, new groups are written to the other,
 * from its start, over old content.
 *
 * group    salt (16 bytes) · first revision u48 · length of the records u32 · CRC-32 of these u32 ·
 *          two zero bytes; then the records (record.ts), with consecutive revisions
 *
 * The salt is random, new each time the store is opened, and kept in the tree. It distinguishes
 * current groups from those of an earlier run, and no stored value can look like a group.
 */
const fileNames = ["journal.0", "journal.1"] as const;
/** Bytes of a salt. */
export const saltSize = 16;

/** Space for the journal's header in front of a group's records (bytes). */
export const groupHeaderSize = 32;

/** Size to which an idle file is truncated: overwriting is faster than growing it again. */
const keptFileBytes = 16 << 20;

/** A write in the journal. */
export interface JournalRecord {
  readonly fields: RecordFields;
  readonly record: Buffer;
}

export class Journal implements AsyncDisposable {
  readonly #directory: string;
  readonly #salt: Buffer;
  readonly #files: readonly FileHandle[];
  #active = 0;
  #position = 0;
  #appending = false;
  #failure: StorageError | undefined;

  private constructor(directory: string, salt: Buffer, files: readonly FileHandle[]) {
    this.#directory = directory;
    this.#salt = salt;
    this.#files = files;
  }

  /** Opens the journal for a new run; its old content must be in the tree. */
  static async open(directory: string, salt: Buffer): Promise<Journal> {
    const { O_RDWR, O_CREAT, O_DSYNC } = constants;
    const isNew = !hasJournal(directory);
    const files: FileHandle[] = [];
    for (const name of fileNames) {
      files.push(await open(join(directory, name), O_RDWR | O_CREAT | O_DSYNC, 0o600));
    }
    if (isNew) await syncDirectory(directory);
    return new Journal(directory, salt, files);
  }

  /** Bytes in the active file. */
  get activeBytes(): number {
    return this.#position;
  }

  /** Whether an append is under way. */
  get busy(): boolean {
    return this.#appending;
  }

  /**
   * Resolves when the group is on disk: the files are open with O_DSYNC. When it rejects, nothing
   * was written, except with AmbiguousWriteError, after which the journal is unusable. One call at
   * a time.
   */
  async append(group: Buffer, firstRevision: number): Promise<void> {
    if (this.#failure) throw this.#failure;
    this.#salt.copy(group);
    group.writeUIntBE(firstRevision, saltSize, 6);
    group.writeUInt32BE(group.length - groupHeaderSize, saltSize + 6);
    group.writeUInt32BE(crc32(group.subarray(0, saltSize + 10)), saltSize + 10);
    group.writeUInt16BE(0, saltSize + 14);
    this.#appending = true;
    try {
      await writeAll(this.#file(), group, this.#position);
      this.#position += group.length;
    } catch (error) {
      await this.#invalidate(error);
      throw toStorageError(error, this.#path());
    } finally {
      this.#appending = false;
    }
  }

  /** Switches to the other file, whose content must be in the tree. Not during an append. */
  switchFile(): void {
    this.#active = 1 - this.#active;
    this.#position = 0;
  }

  /** Truncates an idle file that has grown large. */
  async trimIdleFile(): Promise<void> {
    const idle = this.#files[1 - this.#active];
    if (idle && (await idle.stat()).size > keptFileBytes) await idle.truncate(keptFileBytes);
  }

  async sizeBytes(): Promise<number> {
    const sizes = await Promise.all(this.#files.map(async (file) => (await file.stat()).size));
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#files.map((file) => file.close()));
  }

  /** Makes sure that a failed group won't be read after a crash. */
  async #invalidate(cause: unknown): Promise<void> {
    try {
      await this.#file().truncate(this.#position);
      await this.#file().datasync();
    } catch {
      this.#failure = new AmbiguousWriteError(
        `${this.#path()} can't be written, and it is unknown what it holds; restart when the disk works again`,
        { cause },
      );
      throw this.#failure;
    }
  }

  #file(): FileHandle {
    const file = this.#files[this.#active];
    if (!file) throw new StorageError("the journal has two files");
    return file;
  }

  #path(): string {
    return join(this.#directory, fileNames[this.#active] ?? "");
  }
}

/** Whether a directory has had a store; the tree is created before the journal. */
export function hasJournal(directory: string): boolean {
  return fileNames.some((name) => existsSync(join(directory, name)));
}

/**
 * The durable writes of the last run after a revision, in order. An incomplete group at the end was
 * never acknowledged and is ignored; one that is missing between others means damage.
 */
export async function readJournal(
  directory: string,
  salt: Buffer,
  afterRevision: number,
): Promise<JournalRecord[]> {
  const groups: JournalRecord[][] = [];
  for (const name of fileNames) {
    const path = join(directory, name);
    if (existsSync(path)) groups.push(...findGroups(await readFile(path), salt));
    else if (afterRevision > firstRevision) throw corruptStore(path, "it is missing");
  }
  const records = groups
    .toSorted((a, b) => firstRevisionOf(a) - firstRevisionOf(b))
    .flat()
    .filter(({ fields }) => fields.modRevision > afterRevision);
  for (const [index, { fields }] of records.entries()) {
    if (fields.modRevision !== afterRevision + 1 + index) {
      const problem = `revision ${afterRevision + 1 + index} is missing`;
      throw corruptStore(join(directory, "journal.*"), problem);
    }
  }
  return records;
}

function findGroups(bytes: Buffer, salt: Buffer): JournalRecord[][] {
  const groups: JournalRecord[][] = [];
  for (let start = bytes.indexOf(salt); start >= 0; ) {
    const group = readGroup(bytes, start);
    if (group) groups.push(group.records);
    start = bytes.indexOf(salt, group ? group.end : start + 1);
  }
  return groups;
}

function readGroup(
  bytes: Buffer,
  start: number,
): { readonly records: JournalRecord[]; readonly end: number } | undefined {
  if (start + groupHeaderSize > bytes.length) return undefined;
  const header = bytes.subarray(start, start + groupHeaderSize);
  if (crc32(header.subarray(0, saltSize + 10)) !== header.readUInt32BE(saltSize + 10)) {
    return undefined;
  }
  const end = start + groupHeaderSize + header.readUInt32BE(saltSize + 6);
  const records: JournalRecord[] = [];
  let revision = header.readUIntBE(saltSize, 6);
  for (let place = start + groupHeaderSize; place < end; revision++) {
    const found = readRecord(bytes, place);
    if (found?.fields.modRevision !== revision) return undefined;
    records.push(found);
    place += found.record.length;
  }
  return { records, end };
}

const firstRevisionOf = (group: readonly JournalRecord[]): number =>
  group[0]?.fields.modRevision ?? 0;

async function writeAll(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const left = bytes.length - written;
    written += (await file.write(bytes, written, left, position + written)).bytesWritten;
  }
}
