/** One block of a PEM text. */
export interface PemBlock {
  readonly type: string;
  /** Lines such as `Proc-Type: 4,ENCRYPTED` stood before the data. */
  readonly hasHeaders: boolean;
  readonly der: Buffer;
  /** The block as it stands in the text, from BEGIN to END. */
  readonly text: string;
}

const boundary = /-----(BEGIN|END) ([^\n-]+)-----/g;
const restOfBegin = /[^\S\n]*\n/y;
const restOfEnd = /[ \t\r]*(?=\n|$)/y;
const headerPattern = /^[^\n:]+:[^\n]*\n/gm;

/** A line that begins or ends a block. */
interface Boundary {
  readonly type: string;
  readonly start: number;
  /** Where the block's body begins, or where the block ends. */
  readonly end: number;
}

/**
 * The blocks of a PEM text; what is between them is passed over, as Go does. Each line is looked at once: a text of many
 * beginnings without ends must not cost more than others.
 */
export function readPemBlocks(text: string): PemBlock[] {
  const { begins, ends } = boundariesOf(text);
  const blocks: PemBlock[] = [];
  let at = 0;
  for (const begin of begins) {
    if (begin.start < at) continue;
    const candidates = ends.get(begin.type) ?? [];
    while ((candidates.at(-1)?.start ?? begin.end) < begin.end) candidates.pop();
    const end = candidates.at(-1);
    if (!end) continue;
    at = end.end;
    blocks.push(blockOf(text, begin, end));
  }
  return blocks;
}

/** The beginnings in their order; the ends by type, the first one last. */
function boundariesOf(text: string): { begins: Boundary[]; ends: Map<string, Boundary[]> } {
  const begins: Boundary[] = [];
  const ends = new Map<string, Boundary[]>();
  for (const match of text.matchAll(boundary)) {
    const [line, word, type = ""] = match;
    const rest = word === "BEGIN" ? restOfBegin : restOfEnd;
    rest.lastIndex = match.index + line.length;
    if (!rest.test(text)) continue;
    const found = { type, start: match.index, end: rest.lastIndex };
    if (word === "BEGIN") begins.push(found);
    else listOf(ends, type).push(found);
  }
  for (const found of ends.values()) found.reverse();
  return { begins, ends };
}

function listOf(lists: Map<string, Boundary[]>, type: string): Boundary[] {
  const known = lists.get(type) ?? [];
  lists.set(type, known);
  return known;
}

function blockOf(text: string, begin: Boundary, end: Boundary): PemBlock {
  const body = text.slice(begin.end, end.start);
  return {
    type: begin.type,
    hasHeaders: body.includes(":"),
    der: Buffer.from(body.replace(headerPattern, ""), "base64"),
    text: text.slice(begin.start, end.end),
  };
}

/** DER as PEM. */
export function writePem(type: string, der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${type}-----\n${lines.join("\n")}\n-----END ${type}-----\n`;
}
