/** Invalid base64, with the message of Go's base64 package. */
export class Base64Error extends Error {
  override readonly name = "Base64Error";
}

/** Base64 in Go's output form: no line breaks, padded. */
export function canonicalBase64(text: string): string {
  if (text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)) {
    const canonical = Buffer.from(text, "base64").toString("base64");
    if (canonical.length === text.length) return canonical;
  }
  const kept = text.replace(/[\r\n]/g, "");
  const match = /^[A-Za-z0-9+/]*/.exec(kept)?.[0] ?? "";
  const rest = kept.slice(match.length);
  const wanted = paddings[match.length % 4];
  if (rest === wanted) return Buffer.from(match, "base64").toString("base64");
  const padded = wanted !== undefined && rest.startsWith(wanted) ? wanted.length : 0;
  const at = wanted === "==" && rest === "=" ? text.length : fault(text, match.length + padded);
  throw new Base64Error(`illegal base64 data at input byte ${at}`);
}

/** The padding by the number of characters in the last group; a single one is invalid. */
const paddings = ["", undefined, "==", "="];

/** The offset of the error in Go: the first invalid byte, or the start of an incomplete group. */
function fault(text: string, wellFormed: number): number {
  let seen = 0;
  for (let pos = 0; pos < text.length; pos++) {
    const character = text.charAt(pos);
    if (character === "\n" || character === "\r") continue;
    if (seen++ === wellFormed) return pos;
  }
  return text.length - (wellFormed % 4);
}
