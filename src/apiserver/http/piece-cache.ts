import { type Deflated, deflatePiece } from "#/std/deflate/gzip.ts";

/** An object's bytes, and those that stand before it in a body. */
export interface Section {
  /** Tells sections apart, so that nobody has to hold on to another's bytes. */
  readonly id: number;
  /** The object is the last one. */
  readonly chunks: readonly Uint8Array[];
  /** What it was compressed to, by what it came after. */
  readonly pieces: { readonly after: number; readonly piece: Deflated }[];
}

/** An object is sent whole and as its metadata; what is older is forgotten. */
const sectionsOfBuffer = 4;
/** The same bytes are first in a list and not, and behind an age that changes. */
const sectionsOfPart = 2;
/** An object has other neighbours in a part of a list, and when these come and go. */
const piecesOfSection = 4;
/** Pieces take this part of what they were made of at most, unless there is only one. */
const piecesPart = 1 / 2;
/** What is first has nothing before it. */
const afterNothing = 0;

/**
 * Remembers what objects were compressed to, each on top of the one sent before it, by the buffers they lie in and as long
 * as these are there. Objects in buffers that Node shares out in small parts are not remembered.
 */
export class PieceCache {
  readonly #known = new WeakMap<ArrayBufferLike, readonly Section[]>();
  #lastId = afterNothing;

  /** The section that consists of an object and the text before it. */
  section(text: Uint8Array, object: Uint8Array): Section {
    const { buffer } = object;
    const known = this.#known.get(buffer) ?? [];
    // What was sent last is likely to be sent again.
    const found = known.findLast((section) => consistsOf(section, text, object));
    if (found) return found;
    const section = { id: ++this.#lastId, chunks: [text, object], pieces: [] };
    if (!isSharedOut(object)) {
      const alike = known.filter((one) => holds(one, object));
      const kept = alike.length < sectionsOfPart ? known : known.filter((one) => one !== alike[0]);
      this.#known.set(buffer, [...kept.slice(1 - sectionsOfBuffer), section]);
    }
    return section;
  }

  /** The section's bytes compressed, to be sent right after another's. */
  deflate({ chunks, pieces }: Section, previous: Section | undefined): Deflated {
    const after = previous?.id ?? afterNothing;
    for (const known of pieces) if (known.after === after) return known.piece;
    const piece = deflatePiece(chunks, previous?.chunks);
    pieces.push({ after, piece });
    while (pieces.length > piecesOfSection || (pieces.length > 1 && areBig(pieces))) pieces.shift();
    return piece;
  }
}

/** Whether the bytes may lie in a buffer together with those of others: pools are that big, or a little more. */
function isSharedOut({ buffer, length }: Uint8Array): boolean {
  return buffer.byteLength >= Buffer.poolSize && 2 * length < buffer.byteLength;
}

function areBig(pieces: Section["pieces"]): boolean {
  let [size, length] = [0, 0];
  for (const { piece } of pieces) {
    size += piece.blocks.length;
    length = piece.length;
  }
  return size > length * piecesPart;
}

function consistsOf(section: Section, text: Uint8Array, object: Uint8Array): boolean {
  if (!holds(section, object)) return false;
  const [own] = section.chunks;
  return own === text || (own?.length === text.length && Buffer.compare(own, text) === 0);
}

/** Whether it is about this part of the buffer. */
function holds({ chunks: [, own] }: Section, { byteOffset, length }: Uint8Array): boolean {
  return own?.byteOffset === byteOffset && own.length === length;
}
