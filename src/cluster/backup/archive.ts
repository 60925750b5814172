import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { type ReadEntry, readTar, TarError } from "#/std/archive/tar-reader.ts";
import { tarEnd, tarHeader, tarPadding } from "#/std/archive/tar-writer.ts";
import { CommandFailure } from "../base/command-failure.ts";
import { ByteBlocks } from "./byte-blocks.ts";
import { parseManifest, type SnapshotManifest } from "./manifest.ts";
import { isSealed, seal, unseal } from "./sealed-stream.ts";

/*
 * A snapshot of a cluster is a .tar.gz, which may be sealed with a passphrase:
 *
 *   snapshot.json     its manifest
 *   files/PATH        files of the cluster's folder
 *   store/NUMBER      blocks of the store's snapshot, in their order: its length is not known beforehand
 */
const manifestName = "snapshot.json";
const filePrefix = "files/";
const storePrefix = "store/";
/** Limits (bytes) of a manifest and of a file. */
const maxManifestBytes = 4 << 20;
const maxFileBytes = 16 << 20;

/** Everything of a cluster that a snapshot contains. */
export interface ArchiveContent {
  readonly manifest: SnapshotManifest;
  /** By path; those that the manifest names. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** The store's snapshot. */
  readonly store: AsyncIterable<Uint8Array>;
}

/** The bytes of a snapshot file. */
export async function* packArchive(
  content: ArchiveContent,
  passphrase: string | undefined,
): AsyncGenerator<Uint8Array> {
  const packed = zipped(tarBlocks(content));
  yield* passphrase === undefined ? packed : seal(packed, passphrase);
}

async function* tarBlocks({ manifest, files, store }: ArchiveContent): AsyncGenerator<Uint8Array> {
  const modifiedMs = Date.parse(manifest.created);
  function* member(name: string, content: Uint8Array): Generator<Uint8Array> {
    const sizeBytes = content.length;
    yield tarHeader({ name, kind: "file", mode: 0o600, sizeBytes, modifiedMs });
    yield content;
    yield tarPadding(sizeBytes);
  }
  yield* member(manifestName, Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`));
  for (const [path, content] of files) yield* member(`${filePrefix}${path}`, content);
  let number = 0;
  for await (const block of store) {
    yield* member(`${storePrefix}${String(number++).padStart(8, "0")}`, block);
  }
  yield tarEnd;
}

/** An archive that is being read, from its start to its end. */
export interface OpenedArchive {
  readonly manifest: SnapshotManifest;
  readonly isSealed: boolean;
  /** Its files, then the blocks of the store; each is complete and checked. */
  entries(): AsyncGenerator<ArchiveEntry>;
}

export type ArchiveEntry =
  | { readonly path: string; readonly mode: number; readonly content: Buffer }
  | { readonly block: Buffer };

/** Opens a snapshot file. Rejects if it is none, or is sealed with another passphrase. */
export async function openArchive(
  chunks: AsyncIterable<Uint8Array>,
  passphrase: string | undefined,
): Promise<OpenedArchive> {
  const raw = new ByteBlocks(chunks);
  const start = await raw.upTo(64);
  const whole = joined(start, raw.rest());
  const sealed = isSealed(start);
  if (sealed && passphrase === undefined) {
    throw new CommandFailure("the snapshot is encrypted; give its --passphrase-file");
  }
  const text = new ByteBlocks(unzipped(sealed ? unseal(whole, passphrase ?? "") : whole));
  const members = readMembers(text.rest());
  const { value: first } = await members.next();
  if (first?.name !== manifestName) throw new CommandFailure("this is no snapshot of a cluster");
  const manifest = parseManifest(String(await contentOf(first, maxManifestBytes)));
  return { manifest, isSealed: sealed, entries: () => checkedEntries(members, text, manifest) };
}

async function* checkedEntries(
  members: AsyncIterable<ReadEntry>,
  text: ByteBlocks,
  manifest: SnapshotManifest,
): AsyncGenerator<ArchiveEntry> {
  const missing = new Map(manifest.files.map((file) => [file.path, file]));
  for await (const member of members) {
    const content = await contentOf(member, maxFileBytes);
    if (member.name.startsWith(storePrefix)) {
      yield { block: content };
      continue;
    }
    const path = member.name.slice(filePrefix.length);
    const known = missing.get(path);
    if (!member.name.startsWith(filePrefix) || !known) {
      throw new CommandFailure(`the snapshot has a file that it does not name: ${member.name}`);
    }
    if (createHash("sha256").update(content).digest("hex") !== known.sha256) {
      throw new CommandFailure(`the snapshot is damaged: the checksum of ${path} is wrong`);
    }
    missing.delete(path);
    yield { path, mode: known.mode, content };
  }
  // To the end of the input: only there are the checksums of the whole.
  for await (const padding of text.rest()) {
    if (padding.some((byte) => byte !== 0)) {
      throw new CommandFailure("the snapshot goes on after its end");
    }
  }
  const [first] = missing.keys();
  if (first !== undefined)
    throw new CommandFailure(`the snapshot is incomplete: it lacks ${first}`);
}

async function* readMembers(text: AsyncIterable<Uint8Array>): AsyncGenerator<ReadEntry> {
  try {
    yield* readTar(text);
  } catch (error) {
    throw notWhole(error);
  }
}

/** An error of the archive's format is one of the snapshot; others stay as they are. */
const notWhole = (error: unknown): unknown =>
  error instanceof TarError
    ? new CommandFailure(`this is no whole snapshot: ${error.message}`)
    : error;

async function contentOf(member: ReadEntry, limit: number): Promise<Buffer> {
  if (member.kind !== "file" || member.sizeBytes > limit) {
    throw new CommandFailure(`the snapshot has an entry that can't be one: ${member.name}`);
  }
  const parts: Uint8Array[] = [];
  try {
    for await (const part of member.content) parts.push(part);
  } catch (error) {
    throw notWhole(error);
  }
  return Buffer.concat(parts);
}

async function* zipped(text: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* through(text, createGzip());
}

async function* unzipped(packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* through(packed, createGunzip());
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (!code.startsWith("Z_")) throw error;
    throw new CommandFailure(`this is no whole snapshot: ${(error as Error).message}`);
  }
}

/** Passes a stream through a transformation; what fails on one side ends the other. */
async function* through(
  input: AsyncIterable<Uint8Array>,
  transform: ReturnType<typeof createGzip> | ReturnType<typeof createGunzip>,
): AsyncGenerator<Uint8Array> {
  const done = pipeline(Readable.from(input, { objectMode: false }), transform);
  // It rejects in the reader of the transformation as well.
  done.catch(() => undefined);
  yield* transform;
  await done;
}

async function* joined(
  start: Uint8Array,
  rest: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield start;
  yield* rest;
}
