import { type BodyLength, MessageError } from "./message-head.ts";

/** Receives the bytes of a body, without what delimits them. */
interface BodyReader {
  chunk(bytes: Buffer): void;
  end(): void;
}

type Part = "size" | "data" | "data end" | "trailer" | "done";

/** Limit of a line of a chunked body, and of all its trailers (bytes). */
const maxLineBytes = 8 * 1024;
const lineFeed = 10;

/** Finds the end of a body in the bytes of a connection (RFC 9112, sections 6 and 7). Passes slices on, and copies none. */
export class BodyDecoder {
  readonly #isChunked: boolean;
  #part: Part;
  /** Bytes that are missing of the body, or of a chunk. */
  #missing: number;
  /** The line that is incomplete. */
  #line = "";
  #trailerBytes = 0;

  constructor(length: BodyLength) {
    this.#isChunked = length === "chunked";
    this.#part = this.#isChunked ? "size" : length === 0 ? "done" : "data";
    this.#missing = typeof length === "number" ? length : Number.POSITIVE_INFINITY;
  }

  get isDone(): boolean {
    return this.#part === "done";
  }

  /** Passes the body's bytes on; returns the bytes that follow the body, or undefined. Throws a MessageError. */
  push(bytes: Buffer, reader: BodyReader): Buffer | undefined {
    let at = 0;
    while (at < bytes.length && !this.isDone) {
      at = this.#part === "data" ? this.#readData(bytes, at, reader) : this.#readLine(bytes, at);
    }
    if (this.isDone) reader.end();
    return at < bytes.length ? bytes.subarray(at) : undefined;
  }

  #readData(bytes: Buffer, at: number, reader: BodyReader): number {
    const end = Math.min(at + this.#missing, bytes.length);
    this.#missing -= end - at;
    if (this.#missing === 0) this.#part = this.#isChunked ? "data end" : "done";
    reader.chunk(at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end));
    return end;
  }

  #readLine(bytes: Buffer, at: number): number {
    const found = bytes.indexOf(lineFeed, at);
    const end = found < 0 ? bytes.length : found + 1;
    this.#line += bytes.toString("latin1", at, end);
    if (this.#line.length > maxLineBytes) throw new MessageError(400, "line too long");
    if (found < 0) return end;
    if (!this.#line.endsWith("\r\n")) throw new MessageError(400, "line without CR");
    const line = this.#line.slice(0, -2);
    this.#line = "";
    this.#takeLine(line);
    return end;
  }

  #takeLine(line: string): void {
    if (this.#part === "data end") {
      if (line !== "") throw new MessageError(400, "chunk longer than its size");
      this.#part = "size";
    } else if (this.#part === "trailer") {
      this.#trailerBytes += line.length;
      if (this.#trailerBytes > maxLineBytes) throw new MessageError(431, "trailers too large");
      if (line === "") this.#part = "done";
    } else {
      const [, size] = /^([0-9a-fA-F]{1,12})(?:[\t ]*;[\t\x20-\x7e\x80-\xff]*)?$/.exec(line) ?? [];
      if (size === undefined) throw new MessageError(400, "malformed size of a chunk");
      this.#missing = Number.parseInt(size, 16);
      this.#part = this.#missing === 0 ? "trailer" : "data";
    }
  }
}
