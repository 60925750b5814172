/** Upstream: Go's encoding/pem. */
import { Base64Error, canonicalBase64 } from "../go/go-base64.ts";

/** One block of a PEM text. */
export interface PemBlock {
  readonly type: string;
  /** Whether header lines such as `Proc-Type: 4,ENCRYPTED` precede the data. */
  readonly hasHeaders: boolean;
  readonly der: Buffer;
  /** The block's text, from BEGIN to END. */
  readonly text: string;
}

const beginMark = "-----BEGIN ";
const endMark = "\n-----END ";
const dashes = "-----";

/**
 * The blocks of a PEM text; text between them is skipped, and so is a block whose data Go would not
 * read. Each END is checked once, with the last BEGIN before it: a text of many BEGIN lines must
 * not cost more than others.
 */
export function readPemBlocks(text: string): PemBlock[] {
  const blocks: PemBlock[] = [];
  let from = 0;
  for (;;) {
    const end = text.indexOf(endMark, from);
    if (end < 0) return blocks;
    const opened = openedBlock(text, from, end);
    from = end + endMark.length;
    if (!opened) continue;
    // Headers that extend beyond the END end the search.
    if (opened.body >= text.length || opened.body > from) return blocks;
    const block = closedBlock(text, opened, end);
    if (!block) continue;
    blocks.push(block);
    from = lineAt(text, from).next;
  }
}

/** A BEGIN, and the offset of the lines after its headers. */
interface OpenedBlock {
  readonly type: string;
  readonly start: number;
  readonly hasHeaders: boolean;
  readonly body: number;
}

/** The last BEGIN before `end`, if it begins a line and is well formed. */
function openedBlock(text: string, from: number, end: number): OpenedBlock | undefined {
  const start = from + text.slice(from, end).lastIndexOf(beginMark);
  if (start < from || (start > from && text[start - 1] !== "\n")) return undefined;
  const { line, next } = lineAt(text, start + beginMark.length);
  if (!line.endsWith(dashes)) return undefined;
  const body = afterHeaders(text, next);
  return { type: line.slice(0, -dashes.length), start, hasHeaders: body > next, body };
}

/**
 * The block that the END at `end` closes; undefined if it closes another one, or if the data is
 * invalid base64.
 */
function closedBlock(text: string, opened: OpenedBlock, end: number): PemBlock | undefined {
  const { type, start, hasHeaders, body } = opened;
  if (hasHeaders && body > end) return undefined;
  const last = lineAt(text, end + endMark.length);
  if (last.line !== type + dashes) return undefined;
  const der = decode(text.slice(body, Math.max(body, end)));
  return der && { type, hasHeaders, der, text: text.slice(start, last.end) };
}

/** The offset after the lines with a colon. */
function afterHeaders(text: string, from: number): number {
  let at = from;
  for (;;) {
    const { line, next } = lineAt(text, at);
    if (!line.includes(":")) return at;
    at = next;
  }
}

/** The line at an offset without trailing spaces, its end, and the offset of the next line. */
function lineAt(text: string, at: number): { line: string; end: number; next: number } {
  const newline = text.indexOf("\n", at);
  const whole = newline < 0 ? text.slice(at) : text.slice(at, newline).replace(/\r$/, "");
  const line = withoutSpaces(whole);
  return { line, end: at + line.length, next: newline < 0 ? text.length : newline + 1 };
}

function withoutSpaces(line: string): string {
  let length = line.length;
  while (line[length - 1] === " " || line[length - 1] === "\t") length--;
  return line.slice(0, length);
}

function decode(data: string): Buffer | undefined {
  try {
    return Buffer.from(canonicalBase64(data.replace(/[ \t]/g, "")), "base64");
  } catch (error) {
    if (error instanceof Base64Error) return undefined;
    throw error;
  }
}

/** DER as PEM. */
export function writePem(type: string, der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${type}-----\n${lines.join("\n")}\n-----END ${type}-----\n`;
}
