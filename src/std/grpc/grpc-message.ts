import { WireWriter } from "../protobuf/protobuf-wire.ts";
import { GrpcError } from "./grpc.ts";

/** Size of a message's prefix (bytes): compression flag and length. */
const prefixBytes = 5;

/** A message with its prefix. */
export function frameMessage(write: (writer: WireWriter) => void): Uint8Array {
  const writer = new WireWriter();
  write(writer);
  const prefix = Buffer.alloc(prefixBytes);
  prefix.writeUInt32BE(writer.mark(), 1);
  writer.raw(prefix);
  return writer.finish();
}

/** Splits received bytes into messages. */
export class MessageReader {
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  #bytes = 0;
  /** Number of bytes needed for the next step. */
  #neededBytes = prefixBytes;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The messages that end within this chunk: views of it, if they begin there as well. */
  *read(chunk: Buffer): Generator<Buffer> {
    this.#parts.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes < this.#neededBytes) return;
    const all = this.#parts.length === 1 ? chunk : Buffer.concat(this.#parts, this.#bytes);
    let at = 0;
    for (;;) {
      const length = this.#lengthAt(all, at);
      this.#neededBytes = prefixBytes + length;
      if (all.length - at < this.#neededBytes) break;
      at += this.#neededBytes;
      yield all.subarray(at - length, at);
    }
    this.#parts = at < all.length ? [all.subarray(at)] : [];
    this.#bytes = all.length - at;
  }

  #lengthAt(bytes: Buffer, at: number): number {
    if (bytes.length - at < prefixBytes) return 0;
    if (bytes[at] !== 0) throw new GrpcError("INTERNAL", "a message is compressed");
    const length = bytes.readUInt32BE(at + 1);
    if (length <= this.#maxBytes) return length;
    const sizes = `${length} vs ${this.#maxBytes}`;
    throw new GrpcError("RESOURCE_EXHAUSTED", `Received message larger than max (${sizes})`);
  }
}
