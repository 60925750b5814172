/** Characters that take two columns: those of East Asia, and pictures. */
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/u;

/** Marks that belong to the character before them. */
const joined = /^(?:\p{Mn}|\p{Me}|\p{Cf})/u;

/** Columns of a character: 0, 1 or 2. */
export function widthOf(character: string): 0 | 1 | 2 {
  if (character < "\u0300") return 1;
  if (joined.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}
