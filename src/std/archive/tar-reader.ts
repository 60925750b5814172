/** POSIX.1-2001 pax, ustar, and GNU's long names. */

/** A file, folder or link of an archive. */
export interface ReadEntry {
  readonly name: string;
  readonly kind: "file" | "folder" | "symlink" | "other";
  /** The target of a link. */
  readonly linkTo: string;
  readonly mode: number;
  readonly sizeBytes: number;
  /** Its bytes; unread ones are skipped when the next entry is requested. */
  readonly content: AsyncIterable<Uint8Array>;
}

/** A truncated or invalid archive, with Go's message. */
export class TarError extends Error {
  override readonly name = "TarError";
}

const blockBytes = 512;

/** Limit of an extended header (bytes); tar writes no longer ones. */
const maxExtensionBytes = 1024 * 1024;

/**
 * The entries of an archive as they arrive; stops at the archive's end mark without reading
 * further.
 */
export async function* readTar(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ReadEntry> {
  await using input = new ByteReader(chunks);
  let extended: Extended = {};
  for (;;) {
    const block = await input.read(blockBytes);
    if (block === undefined || isZero(block)) return;
    const header = parseHeader(block);
    const sizeBytes = extended.size ?? header.sizeBytes;
    if ("xgLK".includes(header.type)) {
      if (sizeBytes > maxExtensionBytes) throw new TarError("archive/tar: header field too long");
      const body = (await input.readAll(sizeBytes)).toString();
      await input.skip(paddingOf(sizeBytes));
      if (header.type !== "g") extended = { ...extended, ...parseExtension(header.type, body) };
      continue;
    }
    const content = new EntryContent(input, header.type === "1" ? 0 : sizeBytes);
    const name = extended.path ?? header.name;
    const linkTo = extended.linkpath ?? header.linkTo;
    extended = {};
    const kind = kindOf(header.type, name);
    yield { name, kind, linkTo, mode: header.mode, sizeBytes, content };
    await content.skipRest();
  }
}

interface Header {
  readonly name: string;
  readonly type: string;
  readonly linkTo: string;
  readonly mode: number;
  readonly sizeBytes: number;
}

function parseHeader(block: Buffer): Header {
  const sum = block.reduce((total, byte, i) => total + (i >= 148 && i < 156 ? 0x20 : byte), 0);
  if (numberAt(block, 148, 8) !== sum) throw new TarError("archive/tar: invalid tar header");
  const isUstar = block.toString("latin1", 257, 263) === "ustar\0";
  const prefix = isUstar ? textAt(block, 345, 155) : "";
  const name = textAt(block, 0, 100);
  return {
    name: prefix === "" ? name : `${prefix}/${name}`,
    type: String.fromCharCode(block[156] ?? 0),
    linkTo: textAt(block, 157, 100),
    mode: numberAt(block, 100, 8),
    sizeBytes: numberAt(block, 124, 12),
  };
}

function textAt(block: Buffer, at: number, length: number): string {
  const field = block.subarray(at, at + length);
  const end = field.indexOf(0);
  return field.toString("utf8", 0, end < 0 ? length : end);
}

/**
 * Octal, or binary if the first bit is set. Other values are refused: as size 0 they would make
 * content look like headers.
 */
function numberAt(block: Buffer, at: number, length: number): number {
  if (((block[at] ?? 0) & 0x80) !== 0) {
    return checkedNumber(Number(BigInt(`0x${block.toString("hex", at + 1, at + length)}`)));
  }
  const text = textAt(block, at, length).trim();
  return checkedNumber(text === "" ? 0 : /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : NaN);
}

function checkedNumber(value: number): number {
  if (!Number.isSafeInteger(value)) throw new TarError("archive/tar: invalid tar header");
  return value;
}

function kindOf(type: string, name: string): ReadEntry["kind"] {
  if (type === "5" || (type === "\0" && name.endsWith("/"))) return "folder";
  if (type === "2") return "symlink";
  return ["0", "\0", "7", "1"].includes(type) ? "file" : "other";
}

interface Extended {
  path?: string;
  linkpath?: string;
  size?: number;
}

function parseExtension(type: string, body: string): Extended {
  if (type === "L") return { path: body.replace(/\0+$/, "") };
  if (type === "K") return { linkpath: body.replace(/\0+$/, "") };
  const found: Extended = {};
  // Records are `LENGTH KEY=VALUE\n`, where the length counts bytes.
  for (let rest = Buffer.from(body); rest.length > 0; ) {
    const space = rest.indexOf(" ");
    const length = Number(rest.toString("latin1", 0, Math.max(0, space)));
    if (space < 0 || !Number.isInteger(length) || length <= space || length > rest.length) {
      throw new TarError("archive/tar: invalid tar header");
    }
    const [key, value = ""] = rest.toString("utf8", space + 1, length - 1).split(/=(.*)/s);
    if (key === "path" || key === "linkpath") found[key] = value;
    if (key === "size") found.size = checkedNumber(/^\d+$/.test(value) ? Number(value) : NaN);
    rest = rest.subarray(length);
  }
  return found;
}

const paddingOf = (size: number): number => (blockBytes - (size % blockBytes)) % blockBytes;
const isZero = (block: Buffer): boolean => block.every((byte) => byte === 0);

/** The bytes of one entry, read from the archive's stream. */
class EntryContent implements AsyncIterable<Uint8Array> {
  readonly #input: ByteReader;
  readonly #padding: number;
  #left: number;

  constructor(input: ByteReader, sizeBytes: number) {
    this.#input = input;
    this.#left = sizeBytes;
    this.#padding = paddingOf(sizeBytes);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    while (this.#left > 0) {
      const part = await this.#input.some(this.#left);
      this.#left -= part.length;
      yield part;
    }
  }

  async skipRest(): Promise<void> {
    await this.#input.skip(this.#left + this.#padding);
    this.#left = 0;
  }
}

class ByteReader implements AsyncDisposable {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Exactly this number of bytes; undefined at the end of the input. */
  async read(size: number): Promise<Buffer | undefined> {
    while (this.#rest.length < size && (await this.#more())) {
      // Continues until there is enough, or the input ends.
    }
    if (this.#rest.length === 0 && size > 0) return undefined;
    if (this.#rest.length < size) throw new TarError("unexpected EOF");
    return this.#take(size);
  }

  async readAll(size: number): Promise<Buffer> {
    const found = await this.read(size);
    if (found === undefined) throw new TarError("unexpected EOF");
    return found;
  }

  /** One byte or more, up to the limit. */
  async some(most: number): Promise<Buffer> {
    if (this.#rest.length === 0 && !(await this.#more())) throw new TarError("unexpected EOF");
    return this.#take(Math.min(most, this.#rest.length));
  }

  async skip(size: number): Promise<void> {
    for (let left = size; left > 0; ) left -= (await this.some(left)).length;
  }

  /** Ends the source, since nothing more is read. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#chunks.return?.();
  }

  #take(size: number): Buffer {
    const taken = this.#rest.subarray(0, size);
    this.#rest = this.#rest.subarray(size);
    return taken;
  }

  async #more(): Promise<boolean> {
    const { done, value } = await this.#chunks.next();
    if (done) return false;
    this.#rest = this.#rest.length === 0 ? Buffer.from(value) : Buffer.concat([this.#rest, value]);
    return true;
  }
}
