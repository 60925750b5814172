/** Upstream: Go's mime.TypeByExtension() and http.DetectContentType(). */

const text = (type: string): string => `text/${type}; charset=utf-8`;

const types: Readonly<Record<string, string>> = {
  ".avif": "image/avif",
  ".bmp": "image/bmp",
  ".css": text("css"),
  ".csv": text("csv"),
  ".gif": "image/gif",
  ".gz": "application/gzip",
  ".htm": text("html"),
  ".html": text("html"),
  ".ico": "image/vnd.microsoft.icon",
  ".jpeg": "image/jpeg",
  ".jpg": "image/jpeg",
  ".js": text("javascript"),
  ".json": "application/json",
  ".mjs": text("javascript"),
  ".mp3": "audio/mpeg",
  ".mp4": "video/mp4",
  ".pdf": "application/pdf",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".tar": "application/x-tar",
  ".txt": text("plain"),
  ".wasm": "application/wasm",
  ".webm": "video/webm",
  ".webp": "image/webp",
  ".woff": "font/woff",
  ".woff2": "font/woff2",
  ".xml": text("xml"),
  ".yaml": "application/x-yaml",
  ".yml": "application/x-yaml",
  ".zip": "application/zip",
};

/** The media type of a file extension, with its dot; undefined if unknown. */
export function mediaTypeOf(extension: string): string | undefined {
  const lower = extension.toLowerCase();
  return Object.hasOwn(types, lower) ? types[lower] : undefined;
}

/** Limit of the bytes that are read to detect a file's type. */
export const sniffLength = 512;

const html =
  /^[\t\n\f\r ]*<(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|!--)[ >]/i;

/** Magic numbers of file types; Latin-1, so that a byte is a character. */
const beginnings: readonly (readonly [start: string, type: string])[] = [
  ["%PDF-", "application/pdf"],
  ["GIF87a", "image/gif"],
  ["GIF89a", "image/gif"],
  ["\x89PNG\r\n\x1a\n", "image/png"],
  ["\xff\xd8\xff", "image/jpeg"],
  ["\x1f\x8b\x08", "application/x-gzip"],
  ["PK\x03\x04", "application/zip"],
  ["\x00asm", "application/wasm"],
];

/** The media type detected from the first bytes of a file. */
export function sniffedType(bytes: Uint8Array): string {
  const content = Buffer.from(bytes).toString("latin1");
  if (html.test(content)) return text("html");
  if (/^[\t\n\f\r ]*<\?xml/.test(content)) return text("xml");
  const known = beginnings.find(([start]) => content.startsWith(start))?.[1];
  return known ?? (bytes.some(isBinary) ? "application/octet-stream" : text("plain"));
}

/** True for a byte that text does not contain: control characters other than layout and escape. */
function isBinary(byte: number): boolean {
  return byte < 0x20 && ![0x09, 0x0a, 0x0c, 0x0d, 0x1b].includes(byte);
}
