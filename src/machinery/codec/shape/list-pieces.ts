/** A part of some bytes. */
export interface Cut {
  /** What an object keeps of itself: the same array whenever it is sent again. */
  readonly source: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/** An item of a list: bytes of its object, and what stands before them (the cells of a row, a length). */
export interface ListItem extends Cut {
  readonly lead: Uint8Array;
}

/** A list as it is sent: head, items with separators between them, tail. */
export interface ListPieces {
  readonly head: Uint8Array;
  readonly items: readonly ListItem[];
  readonly separator: Uint8Array;
  readonly tail: Uint8Array;
}

export const noBytes: Uint8Array = new Uint8Array();

/** A list that is not made of its objects' bytes. */
export const wholeList = (head: Uint8Array): ListPieces => ({
  head,
  items: [],
  separator: noBytes,
  tail: noBytes,
});

export const wholeCut = (source: Uint8Array): Cut => ({ source, start: 0, end: source.length });

export const bytesOfCut = ({ source, start, end }: Cut): Uint8Array => source.subarray(start, end);

/** The bytes of a list, in order. */
export function listChunks({ head, items, separator, tail }: ListPieces): Uint8Array[] {
  const chunks: Uint8Array[] = [head];
  let isFirst = true;
  for (const item of items) {
    if (!isFirst) chunks.push(separator);
    isFirst = false;
    if (item.lead.length > 0) chunks.push(item.lead);
    chunks.push(bytesOfCut(item));
  }
  chunks.push(tail);
  return chunks;
}

/** How many bytes a list has. */
export function listLength({ head, items, separator, tail }: ListPieces): number {
  let length = head.length + tail.length + separator.length * Math.max(0, items.length - 1);
  for (const { lead, start, end } of items) length += lead.length + end - start;
  return length;
}
