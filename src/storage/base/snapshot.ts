import { createHash, type Hash } from "node:crypto";
import { createReadStream, type ReadStream } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { CorruptError, type Entry, type SnapshotInfo } from "./storage.ts";
import { syncDirectory } from "./sync-directory.ts";

/*
 * The file, all numbers big-endian:
 *
 *   header   "k8ts snapshot\n\0\0" (16 bytes) · format version u32 · revision u64
 *   entry    1 u8 · key length u32 · value length u32 · mod revision u64 · create revision u64 ·
 *            remaining TTL in milliseconds u64, 0 for none · key (UTF-8) · value
 *   …        any number of entries, in byte order of their keys
 *   trailer  0 u8 · number of entries u64 · SHA-256 of everything before it (32 bytes)
 *
 * It is written and read as a stream, so a store of any size takes little memory.
 */
const magic = Buffer.from("k8ts snapshot\n\0\0");
const formatVersion = 1;
const headerSize = magic.length + 12;
const entryHeaderSize = 33;
const digestSize = 32;
/** Size of a write buffer (bytes). */
const writeSize = 1 << 20;

/** A live key in a snapshot. */
export interface SnapshotEntry extends Entry {
  /** Milliseconds until the key expires; undefined without TTL. */
  readonly ttlRemainingMs: number | undefined;
}

/** The state of a store at a revision. */
export interface StoreState {
  readonly revision: number;
  readonly entries: AsyncIterable<SnapshotEntry> | Iterable<SnapshotEntry>;
}

/**
 * Writes a snapshot of a store at a revision. The file appears under its name only when it is complete and synced.
 * It may hold secrets, so only its owner may read it.
 */
export async function writeSnapshot(file: string, state: StoreState): Promise<SnapshotInfo> {
  const partial = `${file}.partial`;
  try {
    const info = await writePartial(partial, state);
    await rename(partial, file);
    await syncDirectory(dirname(file));
    return info;
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

/** The bytes of a snapshot, in blocks of about a MiB; returns what is in it. */
export async function* snapshotBlocks({
  revision,
  entries,
}: StoreState): AsyncGenerator<Uint8Array, SnapshotInfo> {
  const hash = createHash("sha256");
  let parts: Uint8Array[] = [header(revision)];
  let waiting = headerSize;
  let sizeBytes = 0;
  const block = (): Buffer => {
    const bytes = Buffer.concat(parts);
    hash.update(bytes);
    parts = [];
    waiting = 0;
    sizeBytes += bytes.length;
    return bytes;
  };
  let keys = 0;
  for await (const entry of entries) {
    const head = entryHeader(entry);
    const key = Buffer.from(entry.key);
    parts.push(head, key, entry.value);
    waiting += head.length + key.length + entry.value.length;
    keys++;
    if (waiting >= writeSize) yield block();
  }
  parts.push(trailer(keys));
  yield block();
  const digest = hash.digest();
  yield digest;
  const sha256 = digest.toString("hex");
  return { revision, keys, sizeBytes: sizeBytes + digest.length, sha256 };
}

/** A snapshot opened for reading. */
interface Snapshot {
  readonly info: SnapshotInfo;
  /** The entries in byte order of their keys. */
  entries(): AsyncGenerator<SnapshotEntry>;
}

/** Reads and checks the whole file; throws CorruptError unless it is complete and its checksum is right. */
export async function openSnapshot(file: string): Promise<Snapshot> {
  const info = await verify(file);
  return {
    info,
    async *entries() {
      using reader = new SnapshotReader(file);
      await reader.readHeader();
      for (let entry = await reader.readEntry(); entry; entry = await reader.readEntry()) {
        yield entry;
      }
    },
  };
}

async function verify(file: string): Promise<SnapshotInfo> {
  using reader = new SnapshotReader(file);
  const revision = await reader.readHeader();
  let keys = 0;
  while (await reader.readEntry()) keys++;
  const sha256 = await reader.readTrailer(keys);
  return { revision, keys, sizeBytes: reader.position, sha256 };
}

async function writePartial(partial: string, state: StoreState): Promise<SnapshotInfo> {
  await using handle = await open(partial, "w", 0o600);
  const blocks = snapshotBlocks(state);
  for (;;) {
    const { done, value } = await blocks.next();
    if (done) {
      await handle.sync();
      return value;
    }
    await writeAll(handle, value);
  }
}

async function writeAll(handle: FileHandle, block: Uint8Array): Promise<void> {
  for (let written = 0; written < block.length; ) {
    written += (await handle.write(block, written)).bytesWritten;
  }
}

class SnapshotReader implements Disposable {
  position = 0;
  readonly #file: string;
  readonly #stream: ReadStream;
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #hash: Hash = createHash("sha256");
  #buffer: Buffer = Buffer.alloc(0);

  constructor(file: string) {
    this.#file = file;
    this.#stream = createReadStream(file, { highWaterMark: writeSize });
    this.#chunks = this.#stream[Symbol.asyncIterator]();
  }

  [Symbol.dispose](): void {
    this.#stream.destroy();
  }

  /** The revision of the snapshot. */
  async readHeader(): Promise<number> {
    const bytes = await this.#read(headerSize);
    if (!bytes.subarray(0, magic.length).equals(magic)) throw this.#corrupt("not a k8ts snapshot");
    const version = bytes.readUInt32BE(magic.length);
    if (version !== formatVersion) {
      throw this.#corrupt(`its format version is ${version}, this program reads ${formatVersion}`);
    }
    return Number(bytes.readBigUInt64BE(magic.length + 4));
  }

  /** The next entry; undefined at the trailer. */
  async readEntry(): Promise<SnapshotEntry | undefined> {
    const tag = (await this.#peek(1))[0];
    if (tag === 0) return undefined;
    if (tag !== 1) throw this.#corrupt(`damaged at byte ${this.position}`);
    const head = await this.#read(entryHeaderSize);
    const keyLength = head.readUInt32BE(1);
    const body = await this.#read(keyLength + head.readUInt32BE(5));
    const ttlMs = Number(head.readBigUInt64BE(25));
    return {
      key: body.toString("utf8", 0, keyLength),
      value: Uint8Array.prototype.slice.call(body, keyLength),
      modRevision: Number(head.readBigUInt64BE(9)),
      createRevision: Number(head.readBigUInt64BE(17)),
      ttlRemainingMs: ttlMs === 0 ? undefined : ttlMs,
    };
  }

  /** Checks the trailer; the checksum in hexadecimal. */
  async readTrailer(keys: number): Promise<string> {
    const end = await this.#read(9);
    const expected = this.#hash.digest();
    const digest = await this.#peek(digestSize);
    this.#buffer = this.#buffer.subarray(digestSize);
    this.position += digestSize;
    if (Number(end.readBigUInt64BE(1)) !== keys || !digest.equals(expected)) {
      throw this.#corrupt("its checksum is wrong");
    }
    if (this.#buffer.length > 0 || !(await this.#chunks.next()).done) {
      throw this.#corrupt("there is something after its end");
    }
    return digest.toString("hex");
  }

  async #read(size: number): Promise<Buffer> {
    const bytes = await this.#peek(size);
    this.#hash.update(bytes);
    this.#buffer = this.#buffer.subarray(size);
    this.position += size;
    return bytes;
  }

  async #peek(size: number): Promise<Buffer> {
    const parts = [this.#buffer];
    for (let have = this.#buffer.length; have < size; ) {
      const { value, done } = await this.#chunks.next();
      if (done) throw this.#corrupt("it ends too early");
      parts.push(value);
      have += value.length;
    }
    if (parts.length > 1) this.#buffer = Buffer.concat(parts);
    return this.#buffer.subarray(0, size);
  }

  #corrupt(problem: string): CorruptError {
    return new CorruptError(`snapshot ${this.#file} can't be used: ${problem}; use another one`);
  }
}

function header(revision: number): Buffer {
  const bytes = Buffer.alloc(headerSize);
  magic.copy(bytes);
  bytes.writeUInt32BE(formatVersion, magic.length);
  bytes.writeBigUInt64BE(BigInt(revision), magic.length + 4);
  return bytes;
}

/** Everything after the entries but the checksum. */
function trailer(keys: number): Buffer {
  const bytes = Buffer.alloc(9);
  bytes.writeBigUInt64BE(BigInt(keys), 1);
  return bytes;
}

function entryHeader(entry: SnapshotEntry): Buffer {
  const bytes = Buffer.alloc(entryHeaderSize);
  bytes[0] = 1;
  bytes.writeUInt32BE(Buffer.byteLength(entry.key), 1);
  bytes.writeUInt32BE(entry.value.length, 5);
  bytes.writeBigUInt64BE(BigInt(entry.modRevision), 9);
  bytes.writeBigUInt64BE(BigInt(entry.createRevision), 17);
  bytes.writeBigUInt64BE(BigInt(Math.ceil(entry.ttlRemainingMs ?? 0)), 25);
  return bytes;
}
