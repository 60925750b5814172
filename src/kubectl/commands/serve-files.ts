/** Upstream: the http.FileServer and http.ServeMux of Go, which `kubectl proxy --www` serves files with. */
import { createReadStream, readdirSync, type Stats, statSync } from "node:fs";
import { open } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { basename, extname, join, posix } from "node:path";
import { mediaTypeOf, sniffedType, sniffLength } from "../actions/media-types.ts";

const textType = "text/plain; charset=utf-8";

/** An error as http.Error() writes it. */
export function plainError(response: ServerResponse, status: number, text: string): void {
  const headers = { "content-type": textType, "x-content-type-options": "nosniff" };
  response.writeHead(status, headers).end(`${text}\n`);
}

/** A path without dots and empty parts; undefined if it has none. */
export function cleanedPath(path: string): string | undefined {
  const clean = posix.normalize(path.startsWith("/") ? path : `/${path}`).replace(/^\/+/, "/");
  return clean === path ? undefined : clean;
}

/** Redirects a client to the normalized path. */
export function redirect(response: ServerResponse, location: string): void {
  const headers = { "content-type": "text/html; charset=utf-8", location };
  response
    .writeHead(307, headers)
    .end(`<a href="${escapeHtml(location)}">Temporary Redirect</a>.\n\n`);
}

/** The requested path, below the served folder. */
interface FileRequest {
  readonly folder: string;
  /** With the slash at its begin, still escaped. */
  readonly path: string;
  /** With the question mark; "" if there is none. */
  readonly search: string;
}

/** Responds with a file, or with the list of a folder. */
export async function serveFiles(
  { folder, path, search }: FileRequest,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const name = decodeURIComponent(path);
  const file = join(folder, posix.normalize(name));
  const move = (to: string): void =>
    void response.writeHead(301, { location: `${to}${search}`, "content-length": 0 }).end();
  if (name.endsWith("/index.html")) return move("./");
  const found = statOf(file);
  if (found === undefined) return plainError(response, 404, "404 page not found");
  const last = posix.basename(path);
  if (!found.isDirectory()) {
    return name.endsWith("/") ? move(`../${last}`) : sendFile(file, found, request, response);
  }
  if (!name.endsWith("/")) return move(`${last}/`);
  const index = join(file, "index.html");
  const indexStat = statOf(index);
  if (indexStat?.isFile()) return sendFile(index, indexStat, request, response);
  listFolder(file, found, response);
}

function statOf(file: string): Stats | undefined {
  return statSync(file.replace(/(.)\/$/, "$1"), { throwIfNoEntry: false });
}

function listFolder(folder: string, { mtime }: Stats, response: ServerResponse): void {
  const lines = readdirSync(folder, { withFileTypes: true })
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
    .sort((a, b) => (a < b ? -1 : 1))
    .map((name) => `<a href="${hrefOf(name)}">${escapeHtml(name)}</a>\n`);
  const text = `<!doctype html>\n<meta name="viewport" content="width=device-width">\n<pre>\n${lines.join("")}</pre>\n`;
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "last-modified": mtime.toUTCString(),
  };
  response.writeHead(200, headers).end(text);
}

/** A name as a URL path. A name with a colon would look like a scheme. */
function hrefOf(name: string): string {
  const escaped = encodeURIComponent(name).replace(/%(?:2F|26|3A|3D|2B|40|24|2C|3B)/g, (code) =>
    decodeURIComponent(code),
  );
  return escaped.includes(":") ? `./${escaped}` : escaped;
}

const htmlEscapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&#34;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => htmlEscapes[char] ?? char);
}

async function sendFile(
  file: string,
  { size, mtime }: Stats,
  { method, headers: asked }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const changed = { "last-modified": mtime.toUTCString() };
  const seconds = Math.floor(mtime.getTime() / 1000) * 1000;
  if (Date.parse(asked["if-modified-since"] ?? "") >= seconds) {
    return void response.writeHead(304, changed).end();
  }
  const range = rangeOf(asked.range, size);
  if (range === undefined) {
    response.setHeader("content-range", `bytes */${size}`);
    return plainError(response, 416, "invalid range: failed to overlap");
  }
  const { start, end } = range;
  const isPart = end - start + 1 < size;
  response.writeHead(isPart ? 206 : 200, {
    "accept-ranges": "bytes",
    "content-length": end - start + 1,
    ...(isPart ? { "content-range": `bytes ${start}-${end}/${size}` } : {}),
    "content-type": mediaTypeOf(extname(basename(file))) ?? (await sniff(file)),
    ...changed,
  });
  if (method === "HEAD" || size === 0) return void response.end();
  const stream = createReadStream(file, { start, end });
  stream.once("error", () => response.destroy());
  response.once("close", () => stream.destroy());
  stream.pipe(response);
}

/** The requested bytes: all, unless there is one range; undefined if it is past the end. */
function rangeOf(
  header: string | undefined,
  size: number,
): { readonly start: number; readonly end: number } | undefined {
  const all = { start: 0, end: size - 1 };
  const [, from = "", to = ""] = /^bytes=(\d*)-(\d*)$/.exec(header ?? "") ?? [];
  if (from === "" && to === "") return all;
  if (from === "") return { start: Math.max(0, size - Number(to)), end: size - 1 };
  const end = to === "" ? size - 1 : Math.min(Number(to), size - 1);
  return Number(from) >= size || end < Number(from) ? undefined : { start: Number(from), end };
}

async function sniff(file: string): Promise<string> {
  await using handle = await open(file);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(sniffLength), 0, sniffLength, 0);
  return sniffedType(buffer.subarray(0, bytesRead));
}
