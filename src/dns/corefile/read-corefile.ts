/** Upstream: github.com/coredns/caddy/caddyfile; the syntax of a Corefile without snippets, imports and variables. */

/** A line of a block: a name, its arguments, and lines of its own in braces. */
export interface Directive {
  readonly name: string;
  readonly args: readonly string[];
  /** From 1. */
  readonly line: number;
  readonly inner: readonly Directive[];
}

/** The configuration of some zones. */
export interface ServerBlock {
  /** Zones, perhaps with a protocol and a port. */
  readonly keys: readonly string[];
  readonly line: number;
  readonly directives: readonly Directive[];
}

/** A Corefile that can't be used, with the line that says so. */
export class CorefileError extends Error {
  override readonly name = "CorefileError";
  constructor(line: number, problem: string) {
    super(`Corefile:${line}: ${problem}`);
  }
}

/** Limit of the length of a Corefile (characters): a ConfigMap has at most a megabyte. */
const maxLength = 1 << 20;
/** Limit of blocks within blocks: plugins have one level. */
const maxDepth = 2;

interface Word {
  readonly text: string;
  readonly line: number;
  readonly isQuoted: boolean;
}

/** The blocks of a Corefile; throws CorefileError. */
export function readCorefile(text: string): ServerBlock[] {
  if (text.length > maxLength) throw new CorefileError(1, `longer than ${maxLength} characters`);
  const lines = linesOf(text);
  const blocks: ServerBlock[] = [];
  for (let at = 0; at < lines.length; ) {
    const keys: Word[] = [];
    // Keys may be on several lines, with a comma at the end of each but the last.
    for (;;) {
      const line = lines[at++] ?? [];
      keys.push(...line);
      const last = line.at(-1);
      if (!last?.text.endsWith(",") || isOpen(last)) break;
    }
    const [first] = keys;
    if (!first) continue;
    if (!isOpen(keys.at(-1)))
      throw new CorefileError(first.line, "a block needs { at the end of its line");
    const [directives, end] = readInner(lines, at, { line: first.line, depth: 0 });
    at = end;
    const texts = keys
      .slice(0, -1)
      .flatMap(({ text: key }) => key.split(",").filter((one) => one !== ""));
    if (texts.length === 0) throw new CorefileError(first.line, "a block needs a zone before {");
    blocks.push({ keys: texts, line: first.line, directives });
  }
  return blocks;
}

/** The directives up to the closing brace, and the index of the line after it. */
function readInner(
  lines: readonly (readonly Word[])[],
  start: number,
  { line: opened, depth }: { readonly line: number; readonly depth: number },
): [Directive[], number] {
  if (depth >= maxDepth) throw new CorefileError(opened, "blocks are nested too deep");
  const directives: Directive[] = [];
  for (let at = start; at < lines.length; ) {
    const words = lines[at++] ?? [];
    const [first, ...rest] = words;
    if (!first) continue;
    if (isClose(first)) {
      if (rest.length > 0)
        throw new CorefileError(first.line, `unexpected ${rest[0]?.text} after }`);
      return [directives, at];
    }
    const opens = isOpen(rest.at(-1));
    const args = (opens ? rest.slice(0, -1) : rest).map(({ text }) => text);
    const [inner, end] = opens
      ? readInner(lines, at, { line: first.line, depth: depth + 1 })
      : [[], at];
    at = end;
    directives.push({ name: first.text, args, line: first.line, inner });
  }
  throw new CorefileError(opened, "the block has no closing }");
}

const isOpen = (word: Word | undefined): boolean => word?.text === "{" && !word.isQuoted;
const isClose = (word: Word): boolean => word.text === "}" && !word.isQuoted;

/** The words of each line: separated by spaces, in quotes or not, up to a comment. */
function linesOf(text: string): Word[][] {
  return text.split("\n").map((source, index) => {
    const line = index + 1;
    const words: Word[] = [];
    const pattern = /\s*(?:(#.*)|"((?:[^"\\]|\\.)*)"|(\S+))/gy;
    for (;;) {
      const match = pattern.exec(source);
      if (!match || match[1] !== undefined) return words;
      const [, , quoted, plain = ""] = match;
      if (quoted === undefined && plain.startsWith('"')) {
        throw new CorefileError(line, "a quote is not closed");
      }
      words.push({
        text: quoted?.replaceAll('\\"', '"') ?? plain,
        line,
        isQuoted: quoted !== undefined,
      });
    }
  });
}
