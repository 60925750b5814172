/** A text, a repeated middle, a text, of about the given number of bytes. */
export const around =
  (before: string, unit: string, after = "") =>
  (bytes: number): string =>
    before + unit.repeat(Math.ceil(bytes / unit.length)) + after;

/** Characters that open, separate or end something in most small languages. */
export const marks: readonly string[] = [...'a9 ,([{"\\=!.-'];

/** The bytes in pieces, as they arrive from a connection. */
export function* piecesOf(bytes: Buffer, pieceBytes: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}
