import { type Deflated, deflatePiece } from "#/machinery/codec/gzip.ts";

/** What was compressed of a buffer and of those that came after it. */
interface KnownPiece {
  readonly signature: string;
  readonly piece: Deflated;
}

/** An object is sent by itself, as its metadata, in a list and in parts of it; what is older is forgotten. */
const piecesOfBuffer = 4;

/**
 * Remembers what chunks were compressed to, by the buffers they lie in, as long as the first of these is there. Chunks of
 * buffers that Node shares out in small parts are not remembered.
 */
export class PieceCache {
  readonly #known = new WeakMap<ArrayBufferLike, readonly KnownPiece[]>();
  readonly #ids = new WeakMap<ArrayBufferLike, number>();
  #lastId = 0;

  /** The chunks' bytes compressed as one; `onWork` is told how many bytes that took. */
  deflate(chunks: readonly Uint8Array[], onWork: (bytes: number) => void): Deflated {
    const buffer = chunks[0]?.buffer;
    const signature = this.#signature(chunks);
    const known = (buffer && this.#known.get(buffer)) ?? [];
    const found = known.find((candidate) => candidate.signature === signature);
    if (found) return found.piece;
    const bytes = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
    onWork(bytes.length);
    const piece = deflatePiece(bytes);
    if (buffer && buffer.byteLength !== Buffer.poolSize) {
      this.#known.set(buffer, [...known.slice(1 - piecesOfBuffer), { signature, piece }]);
    }
    return piece;
  }

  /** Tells chunks apart without holding on to their buffers. */
  #signature(chunks: readonly Uint8Array[]): string {
    let signature = "";
    for (const { buffer, byteOffset, length } of chunks) {
      signature += `${this.#idOf(buffer)}:${byteOffset}:${length} `;
    }
    return signature;
  }

  #idOf(buffer: ArrayBufferLike): number {
    let id = this.#ids.get(buffer);
    if (id === undefined) {
      id = ++this.#lastId;
      this.#ids.set(buffer, id);
    }
    return id;
  }
}
