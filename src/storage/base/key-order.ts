/** Code units that JavaScript orders differently from UTF-8. */
const beyondSurrogates = /[\ud800-\uffff]/;

/** Compares keys by their UTF-8 bytes, as etcd does; JavaScript's own order differs beyond U+FFFF. */
export function compareKeys(a: string, b: string): number {
  if (a === b) return 0;
  if (beyondSurrogates.test(a) && beyondSurrogates.test(b)) return compareCodePoints(a, b);
  return a < b ? -1 : 1;
}

function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right) return byteRank(left) - byteRank(right);
  }
  return a.length - b.length;
}

/** Moves surrogates (code points beyond U+FFFF) above U+E000…U+FFFF, where their UTF-8 bytes are. */
function byteRank(codeUnit: number): number {
  if (codeUnit < 0xd800) return codeUnit;
  return codeUnit < 0xe000 ? codeUnit + 0x2000 : codeUnit - 0x800;
}
