import { goQuote } from "#/std/go/go-quote.ts";

/** A part of a URL; each has its own escaping rules. */
type UrlPart = "path" | "userinfo" | "host" | "zone" | "query" | "fragment";

/** An invalid URL. */
export class UrlError extends Error {
  override readonly name = "UrlError";
}

const plain: Readonly<Record<UrlPart, RegExp>> = {
  path: /[\w\-.~$&+,/:;=@]/,
  userinfo: /[\w\-.~$&+,;=]/,
  host: /[\w\-.~!$&'()*+,;=:[\]<>"]/,
  zone: /[\w\-.~!$&'()*+,;=:[\]<>"]/,
  query: /[\w\-.~]/,
  fragment: /[\w\-.~$&+,/:;=?@!()*]/,
};

/**
 * Escapes a string for a part of a URL. Strings here are bytes: one character for each byte of
 * UTF-8.
 *
 * Upstream: Go's net/url.
 */
export function escapeUrlPart(bytes: string, part: UrlPart): string {
  return bytes.replace(/./gs, (byte) => {
    if (plain[part].test(byte)) return byte;
    if (part === "query" && byte === " ") return "+";
    return `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
  });
}

/** Whether an escaped text has only bytes that are allowed unescaped in a path. */
export function isValidPath(bytes: string): boolean {
  return /^[\w\-.~$&+,/:;=@!'()*[\]%]*$/.test(bytes);
}

/** The inverse of escapeUrlPart. Throws UrlError. */
export function unescapeUrlPart(bytes: string, part: UrlPart): string {
  const isHost = part === "host" || part === "zone";
  return bytes.replace(/%(?:([\da-fA-F]{2})|.{0,2})|./gs, (matched, hex: string | undefined) => {
    if (matched.startsWith("%")) return unescapeByte(matched, hex, part);
    if (part === "query" && matched === "+") return " ";
    if (isHost && matched < "\x80" && !plain[part].test(matched)) {
      throw new UrlError(`invalid character ${goQuote(matched)} in host name`);
    }
    return matched;
  });
}

function unescapeByte(sequence: string, hex: string | undefined, part: UrlPart): string {
  const refuse = () => new UrlError(`invalid URL escape ${goQuote(fromBytes(sequence))}`);
  if (hex === undefined) throw refuse();
  const byte = String.fromCharCode(Number.parseInt(hex, 16));
  if (sequence !== "%25") {
    if (part === "host" && byte < "\x80") throw refuse();
    if (part === "zone" && byte !== " " && !plain.host.test(byte)) throw refuse();
  }
  return byte;
}

/** A string with one character for each byte of the text's UTF-8. */
export const toBytes = (text: string): string => Buffer.from(text, "utf8").toString("latin1");

/** The text of such bytes. */
export const fromBytes = (bytes: string): string => Buffer.from(bytes, "latin1").toString("utf8");
