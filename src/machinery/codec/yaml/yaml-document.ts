import type { Alias, Document, LineCounter, Node, YAMLParseError, YAMLWarning } from "yaml";
import { yaml } from "#/std/text/yaml.ts";
import { maxDepth } from "../json/json-document.ts";
import { DecodeError } from "../shape/decode-error.ts";

/** A parsed YAML text. */
export interface YamlTree {
  /** Null if the text has only comments. */
  readonly root: Node | null;
  /** The number of the line, from 1, at an offset of the text. */
  readonly lineAt: (offset: number) => number;
}

/** Characters that are not allowed in a YAML text. */
const forbidden = /[^\t\n\r\x20-\x7e\u0085\u00a0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/**
 * Parses the first document of a YAML text; scalars are not resolved yet. Throws DecodeError.
 *
 * Upstream: vendor/go.yaml.in/yaml/v2/yaml.go.
 */
export function parseYamlTree(text: string): YamlTree {
  if (forbidden.test(text)) throw yamlError("control characters are not allowed");
  if (isTooDeep(text)) throw yamlError("exceeded max depth");
  const lines = new (yaml().LineCounter)();
  const document = firstDocument(text, lines);
  const lineAt = (offset: number) => Math.max(lines.linePos(offset).line, 1);
  const { errors = [] } = document ?? {};
  const [error] = errors;
  if (error !== undefined) {
    const at = faultAt(error, errors);
    throw unfinished(text, error, at) ?? syntaxError(error, lineAt(at));
  }
  return { root: document?.contents ?? null, lineAt };
}

/**
 * Whether collections may be nested beyond the limit. A cheap upper estimate, as the parser is slow
 * on such texts: brackets count even in quotes, where they mostly are in pairs. Block indicators
 * count while only spaces are between them.
 */
function isTooDeep(text: string): boolean {
  let brackets = 0;
  let blocks = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (isBlank(code)) continue;
    const isIndicator = code === 0x2d || code === 0x3a || code === 0x3f;
    blocks = isIndicator && isBlank(text.charCodeAt(i + 1)) ? blocks + 1 : 0;
    if (code === 0x5b || code === 0x7b) brackets++;
    else if ((code === 0x5d || code === 0x7d) && brackets > 0) brackets--;
    if (brackets > maxDepth || blocks > maxDepth) return true;
  }
  return false;
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

function firstDocument(text: string, lines: LineCounter): Document.Parsed | undefined {
  const { Composer, Parser } = yaml();
  const composer = new Composer({
    schema: "failsafe",
    strict: false,
    merge: false,
    uniqueKeys: false,
    logLevel: "silent",
    prettyErrors: false,
  });
  try {
    const tokens = new Parser(lines.addNewLine).parse(text);
    for (const document of composer.compose(tokens)) return document as Document.Parsed;
    return undefined;
  } catch (error) {
    // The parser is recursive, and its stack limits the depth of a document.
    if (error instanceof RangeError) throw yamlError("exceeded max depth");
    throw error;
  }
}

/** The position at which goyaml reports an error: for a key over several lines, its end. */
function faultAt({ pos: [start] }: YAMLParseError, errors: readonly YAMLParseError[]): number {
  const key = errors.find(({ code, pos }) => code === "MULTILINE_IMPLICIT_KEY" && pos[0] === start);
  return key?.pos[1] ?? start;
}

/** The error for a text that ends inside brackets; undefined for other errors. */
function unfinished(
  text: string,
  { code, message }: YAMLParseError,
  at: number,
): DecodeError | undefined {
  const isOpen = code === "MISSING_CHAR" || code === "BAD_INDENT";
  if (!isOpen || text.slice(at).trim() !== "") return undefined;
  const closing = / ([\]}])$/.exec(message)?.[1];
  if (closing === undefined) return undefined;
  // The end is on its own line.
  const line = text.replace(/\n$/, "").split("\n").length;
  const wantsNode = /[[{,:]$/.test(text.trimEnd());
  const expected = wantsNode ? "node content" : `',' or '${closing}'`;
  return yamlError(`line ${line}: did not find expected ${expected}`);
}

interface Fault {
  readonly code: string;
  /** Part of the parser's message, where the code alone is ambiguous. */
  readonly message?: RegExp;
  readonly reason: string;
  /** Found while scanning tokens; line numbers of such errors start at 1, all others at 0. */
  readonly scanning?: boolean;
}

/** goyaml's messages for the parser's errors; for others the parser's own message is used. */
const faults: readonly Fault[] = [
  { code: "BAD_INDENT", message: / \]$/, reason: "did not find expected ',' or ']'" },
  { code: "BAD_INDENT", message: / }$/, reason: "did not find expected ',' or '}'" },
  { code: "BAD_INDENT", reason: "did not find expected key" },
  { code: "UNEXPECTED_TOKEN", message: /flow|,/i, reason: "did not find expected node content" },
  { code: "UNEXPECTED_TOKEN", reason: "did not find expected key" },
  { code: "BLOCK_IN_FLOW", reason: "did not find expected node content" },
  {
    code: "MISSING_CHAR",
    message: /quote/,
    reason: "found unexpected end of stream",
    scanning: true,
  },
  { code: "MISSING_CHAR", message: / \]$/, reason: "did not find expected ',' or ']'" },
  { code: "MISSING_CHAR", message: / }$/, reason: "did not find expected ',' or '}'" },
  { code: "MISSING_CHAR", reason: "could not find expected ':'", scanning: true },
  {
    code: "BLOCK_AS_IMPLICIT_KEY",
    reason: "mapping values are not allowed in this context",
    scanning: true,
  },
  {
    code: "MULTILINE_IMPLICIT_KEY",
    reason: "mapping values are not allowed in this context",
    scanning: true,
  },
  {
    code: "BAD_SCALAR_START",
    reason: "found character that cannot start any token",
    scanning: true,
  },
  { code: "TAB_AS_INDENT", reason: "found character that cannot start any token", scanning: true },
  { code: "BAD_DQ_ESCAPE", reason: "found unknown escape character", scanning: true },
];

function syntaxError({ code, message }: YAMLParseError | YAMLWarning, line: number): DecodeError {
  const known = faults.find(
    (fault) => fault.code === code && (fault.message?.test(message) ?? true),
  );
  const { reason, scanning = false } = known ?? { reason: message };
  const shown = scanning || line === 1 ? line : line - 1;
  return yamlError(line === 1 ? reason : `line ${shown}: ${reason}`);
}

/** An error in goyaml's form. */
export function yamlError(reason: string): DecodeError {
  return new DecodeError(`yaml: ${reason}`, "syntax");
}

/** Finds the node of each alias: the last node before it with its anchor. */
export function linkAliases(root: Node | null): ReadonlyMap<Alias, Node> {
  const { isAlias, isCollection, isPair } = yaml();
  const anchors = new Map<string, Node>();
  const targets = new Map<Alias, Node>();
  const waiting: unknown[] = [root];
  while (waiting.length > 0) {
    const node = waiting.pop();
    if (isAlias(node)) {
      const target = anchors.get(node.source);
      if (target !== undefined) targets.set(node, target);
    } else if (isPair(node)) waiting.push(node.value, node.key);
    else if (isCollection(node)) for (const item of node.items.toReversed()) waiting.push(item);
    const anchor = (node as Node | null)?.anchor;
    if (anchor !== undefined) anchors.set(anchor, node as Node);
  }
  return targets;
}
