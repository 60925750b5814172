import { bytesOfCut, type Cut } from "#/machinery/codec/shape/list-pieces.ts";
import { type Deflated, deflatePiece } from "#/std/deflate/gzip.ts";

/** An item's bytes, and the text before it in a body. */
export interface Section {
  /** Id of the section, so that none has to keep another's bytes alive. */
  readonly id: number;
  /** The array that the item is a part of. */
  readonly cut: Pick<Cut, "start" | "end">;
  /** The texts before the item, then the item. */
  readonly chunks: readonly Uint8Array[];
  /** The compressed bytes, by the preceding section. */
  readonly pieces: { readonly after: number; readonly piece: Deflated }[];
}

/** Limit of sections of one array (count): an object is sent whole and as its metadata; the oldest is dropped. */
const sectionsOfSource = 4;
/** Limit of sections of one part (count): the same bytes follow other texts, such as an age that changes. */
const sectionsOfCut = 2;
/** Limit of pieces of a section (count): an object has other neighbours in a part of a list, and when these change. */
const piecesOfSection = 4;
/** Limit of the size of pieces, as a fraction of their source, unless there is only one. */
const piecesPart = 1 / 2;
/** The first section has no predecessor. */
const afterNothing = 0;

/**
 * Caches compressed items, each by the item sent before it, as long as the array exists that has the object's
 * bytes.
 */
export class PieceCache {
  readonly #known = new WeakMap<Uint8Array, readonly Section[]>();
  #lastId = afterNothing;

  /** The section of an item and the texts before it. */
  section(texts: readonly Uint8Array[], item: Cut): Section {
    const { source, start, end } = item;
    const known = this.#known.get(source) ?? [];
    // The last sent is likely to be sent again.
    const found = known.findLast((section) => consistsOf(section, texts, item));
    if (found) return found;
    const chunks = [...texts, bytesOfCut(item)];
    const section = { id: ++this.#lastId, cut: { start, end }, chunks, pieces: [] };
    const alike = known.filter((one) => isOf(one, item));
    const kept = alike.length < sectionsOfCut ? known : known.filter((one) => one !== alike[0]);
    this.#known.set(source, [...kept.slice(1 - sectionsOfSource), section]);
    return section;
  }

  /** The section's bytes compressed, to follow another section. */
  deflate({ chunks, pieces }: Section, previous: Section | undefined): Deflated {
    const after = previous?.id ?? afterNothing;
    for (const known of pieces) if (known.after === after) return known.piece;
    const piece = deflatePiece(chunks, previous?.chunks);
    pieces.push({ after, piece });
    while (pieces.length > piecesOfSection || (pieces.length > 1 && areBig(pieces))) pieces.shift();
    return piece;
  }
}

function areBig(pieces: Section["pieces"]): boolean {
  let [size, length] = [0, 0];
  for (const { piece } of pieces) {
    size += piece.blocks.length;
    length = piece.length;
  }
  return size > length * piecesPart;
}

function consistsOf(section: Section, texts: readonly Uint8Array[], item: Cut): boolean {
  const { chunks } = section;
  if (!isOf(section, item) || chunks.length !== texts.length + 1) return false;
  for (let index = 0; index < texts.length; index++) {
    if (!areSame(chunks[index] as Uint8Array, texts[index] as Uint8Array)) return false;
  }
  return true;
}

/** Frequent texts are the same arrays. */
const areSame = (a: Uint8Array, b: Uint8Array): boolean =>
  a === b || (a.length === b.length && Buffer.compare(a, b) === 0);

/** Whether it is this part of the array. */
const isOf = ({ cut }: Section, { start, end }: Cut): boolean =>
  cut.start === start && cut.end === end;
