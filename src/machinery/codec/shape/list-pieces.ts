/** A slice of an array. */
export interface Cut {
  /** The encoded bytes that an object caches: the same array each time it is sent. */
  readonly source: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/**
 * An item of a list: the bytes of its object, and the bytes before them (the cells of a row, a
 * length).
 */
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

/** A list that is encoded as a whole, not built from its objects' bytes. */
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

/** The length of a list (bytes). */
export function listLength({ head, items, separator, tail }: ListPieces): number {
  let length = head.length + tail.length + separator.length * Math.max(0, items.length - 1);
  for (const { lead, start, end } of items) length += lead.length + end - start;
  return length;
}
