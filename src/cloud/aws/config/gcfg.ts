/** Upstream: gopkg.in/gcfg.v1. */
import { GcfgScanner, type GcfgToken, unquote } from "./gcfg-scanner.ts";

/** One line that assigns, or the head of a section (then without a name). */
interface GcfgEntry {
  readonly section: string;
  /** Empty if the section has none. */
  readonly subsection: string;
  readonly name?: string;
  /** Undefined if the line has no "=". */
  readonly value?: string;
}

/** The entries of a file in their order. Throws GcfgError when it reaches malformed text. */
export function* readGcfg(source: string): Generator<GcfgEntry> {
  const scanner = new GcfgScanner(source);
  let head: { readonly section: string; readonly subsection: string } | undefined;
  for (let token = scan(scanner); token.kind !== "end"; ) {
    if (token.kind === "line") {
      token = scan(scanner);
    } else if (token.kind === "[") {
      const read = readHead(scanner);
      head = read.head;
      yield head;
      token = read.next;
    } else if (!head) {
      throw scanner.errorAt(token.offset, "expected section header");
    } else if (token.kind === "name") {
      const { value, next } = readValue(scanner);
      yield { ...head, name: token.text, ...(value === undefined ? {} : { value }) };
      token = next;
    } else {
      throw scanner.errorAt(token.offset, "expected section header or variable declaration");
    }
  }
}

/** The rest of [Section "sub"]. */
function readHead(scanner: GcfgScanner) {
  const name = scan(scanner);
  if (name.kind !== "name") throw scanner.errorAt(name.offset, "expected section name");
  let subsection = "";
  let token = scan(scanner);
  if (token.kind === "string") {
    subsection = unquote(token.text);
    if (subsection === "") throw scanner.errorAt(token.offset, "empty subsection name");
    token = scan(scanner);
  }
  if (token.kind !== "]") {
    const expected = subsection === "" ? "subsection name or right bracket" : "right bracket";
    throw scanner.errorAt(token.offset, `expected ${expected}`);
  }
  return { head: { section: name.text, subsection }, next: scanEnd(scanner) };
}

/** What follows the name of a variable. */
function readValue(scanner: GcfgScanner): { value: string | undefined; next: GcfgToken } {
  const token = scan(scanner);
  if (token.kind === "line" || token.kind === "end") return { value: undefined, next: token };
  if (token.kind !== "=") throw scanner.errorAt(token.offset, "expected '='");
  const value = scan(scanner);
  if (value.kind !== "string") throw scanner.errorAt(value.offset, "expected value");
  return { value: unquote(value.text), next: scanEnd(scanner) };
}

function scan(scanner: GcfgScanner): GcfgToken {
  const token = scanner.scan();
  scanner.check();
  return token;
}

function scanEnd(scanner: GcfgScanner): GcfgToken {
  const token = scanner.scan();
  if (token.kind !== "line" && token.kind !== "end") {
    throw scanner.errorAt(token.offset, "expected EOL, EOF, or comment");
  }
  return token;
}
