import { isUtf8 } from "node:buffer";

/**
 * The decoded path of a request: the only form that is authorized, routed and forwarded, so that no step understands
 * it in another way. An encoded slash is a slash. A byte that is not part of UTF-8 text is a lone surrogate, U+DC80 to
 * U+DCFF, which escapePath() writes as that byte again. A percent sign that begins no escape is taken literally.
 *
 * Upstream: Go's net/url (URL.Path).
 */
export function decodePath(rawPath: string): string {
  if (!rawPath.includes("%")) return rawPath;
  try {
    return decodeURIComponent(rawPath);
  } catch {
    return rawPath.replace(/(?:%[0-9A-Fa-f]{2})+/g, decodeEscapes);
  }
}

/** Text of bytes that may not be UTF-8. */
function decodeEscapes(escapes: string): string {
  const bytes = Buffer.from(escapes.replaceAll("%", ""), "hex");
  let text = "";
  for (let at = 0; at < bytes.length; ) {
    const lead = bytes[at] ?? 0;
    const character = bytes.subarray(at, at + sequenceLength(lead));
    const isText = isUtf8(character);
    text += isText ? character.toString() : String.fromCharCode(0xdc00 + lead);
    at += isText ? character.length : 1;
  }
  return text;
}

/** Length of a UTF-8 sequence (bytes), by its first byte. */
function sequenceLength(lead: number): number {
  if (lead < 0xc0) return 1;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}

/** Whether a percent sign of a path is not followed by two hexadecimal digits. */
export const hasInvalidEscape = (rawPath: string): boolean =>
  rawPath.includes("%") && /%(?![0-9A-Fa-f]{2})/.test(rawPath);
