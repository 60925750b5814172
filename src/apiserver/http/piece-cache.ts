import { bytesOfCut, type Cut } from "#/machinery/codec/shape/list-pieces.ts";
import { type Deflated, deflatePiece } from "#/std/deflate/gzip.ts";

/** An item's bytes, and those that stand before it in a body. */
export interface Section {
  /** Tells sections apart, so that none has to hold on to another's bytes. */
  readonly id: number;
  /** What the item is a part of. */
  readonly cut: Pick<Cut, "start" | "end">;
  /** The texts before the item, then the item. */
  readonly chunks: readonly Uint8Array[];
  /** What it was compressed to, by what it came after. */
  readonly pieces: { readonly after: number; readonly piece: Deflated }[];
}

/** Limit of the sections of one array of bytes: an object is sent whole and as its metadata; what is older is forgotten. */
const sectionsOfSource = 4;
/** Limit of the sections of one part: the same bytes come behind other texts, such as an age that changes. */
const sectionsOfCut = 2;
/** Limit of the pieces of a section: an object has other neighbours in a part of a list, and when these come and go. */
const piecesOfSection = 4;
/** Limit of what pieces take, as a part of what they were made of, unless there is only one. */
const piecesPart = 1 / 2;
/** What is first has nothing before it. */
const afterNothing = 0;

/**
 * Remembers what items were compressed to, each on top of the one sent before it, as long as the array is there that an
 * object keeps its bytes in.
 */
export class PieceCache {
  readonly #known = new WeakMap<Uint8Array, readonly Section[]>();
  #lastId = afterNothing;

  /** The section that consists of an item and the texts before it. */
  section(texts: readonly Uint8Array[], item: Cut): Section {
    const { source, start, end } = item;
    const known = this.#known.get(source) ?? [];
    // What was sent last is likely to be sent again.
    const found = known.findLast((section) => consistsOf(section, texts, item));
    if (found) return found;
    const chunks = [...texts, bytesOfCut(item)];
    const section = { id: ++this.#lastId, cut: { start, end }, chunks, pieces: [] };
    const alike = known.filter((one) => isOf(one, item));
    const kept = alike.length < sectionsOfCut ? known : known.filter((one) => one !== alike[0]);
    this.#known.set(source, [...kept.slice(1 - sectionsOfSource), section]);
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

/** Texts that are often sent are the same arrays. */
const areSame = (a: Uint8Array, b: Uint8Array): boolean =>
  a === b || (a.length === b.length && Buffer.compare(a, b) === 0);

/** Whether it is about this part of the array. */
const isOf = ({ cut }: Section, { start, end }: Cut): boolean =>
  cut.start === start && cut.end === end;
