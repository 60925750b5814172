/** Keys from `key` (inclusive) to `rangeEnd` (exclusive), as etcd takes them. */
export interface KeyRange {
  readonly key: string;
  readonly rangeEnd: Uint8Array;
}

/** All keys: a range end of one zero byte means "no end", and no key sorts before it. */
export const allKeys: KeyRange = { key: "\0", rangeEnd: new Uint8Array([0]) };

/**
 * All keys with a prefix, or those of them after a key (exclusive). Undefined if there can't be
 * any.
 */
export function keysWithPrefix(prefix: string, after?: string): KeyRange | undefined {
  const rangeEnd = prefix === "" ? allKeys.rangeEnd : successor(Buffer.from(prefix));
  const first = prefix === "" ? allKeys.key : prefix;
  if (after === undefined) return { key: first, rangeEnd };
  // The next key after a key is that key plus a zero byte.
  const next = `${after}\0`;
  if (Buffer.compare(Buffer.from(next), Buffer.from(first)) < 0) return { key: first, rangeEnd };
  if (prefix !== "" && Buffer.compare(Buffer.from(next), rangeEnd) >= 0) return undefined;
  return { key: next, rangeEnd };
}

/** The least byte string greater than all with this prefix; UTF-8 has no byte 255. */
function successor(prefix: Uint8Array): Uint8Array {
  const end = new Uint8Array(prefix);
  end[end.length - 1] = (end.at(-1) ?? 0) + 1;
  return end;
}
