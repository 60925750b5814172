/**
 * Reads XML of AWS responses element by element, without a tree: what the caller does not ask for is
 * checked and skipped. Input is hostile: document types, unknown entities, deep nesting and text that
 * is not well formed are errors.
 */

/** Limit of nesting: the deepest response of the declared operations has 12 levels. */
const maxDepth = 64;

class XmlError extends Error {
  override readonly name = "XmlError";
}

const namePattern = /[A-Za-z_][\w.:-]*/y;
const attributePattern = /\s+[A-Za-z_][\w.:-]*\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y;
const tagEndPattern = /\s*(\/?)>/y;
const entityPattern = /&(?:(lt|gt|amp|quot|apos)|#(\d{1,7})|#x([0-9a-fA-F]{1,6}));|&/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML forbids.
const forbiddenPattern = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/;

const named: Readonly<Record<string, string>> = {
  lt: "<",
  gt: ">",
  amp: "&",
  quot: '"',
  apos: "'",
};

export class XmlReader {
  readonly #source: string;
  #position = 0;
  /** The names of the open elements. */
  readonly #open: string[] = [];
  /** Whether the innermost element was written as <a/>: its end is next. */
  #isEmpty = false;

  constructor(source: string) {
    if (forbiddenPattern.test(source)) throw new XmlError("character that XML does not allow");
    this.#source = source.charCodeAt(0) === 0xfeff ? source.slice(1) : source;
  }

  /** Opens the root, reads it with `read`, and checks that nothing follows. */
  readRoot<T>(read: (name: string) => T): T {
    this.#skipMisc();
    if (this.#source[this.#position] !== "<") this.#fail("no root element");
    const result = this.#readElement(read);
    this.#skipMisc();
    if (this.#position < this.#source.length) this.#fail("content after the root element");
    return result;
  }

  /** Calls `visit` for each child of the open element. What it does not read is skipped. */
  forEachChild(visit: (name: string) => void): void {
    while (this.#nextChild()) this.#readElement(visit);
  }

  /** The text of the open element, which has no children. */
  readText(): string {
    let text = "";
    while (!this.#atEnd()) {
      const start = this.#position;
      if (this.#startsWith("<![CDATA[")) text += this.#readUntil("]]>", "<![CDATA[".length);
      else if (this.#skipComment()) continue;
      else if (this.#source[start] === "<") this.#fail(`element in ${this.#path()}, which is text`);
      else text += this.#readCharacters();
    }
    return text;
  }

  /** Consumes an element whose start tag is next. */
  #readElement<T>(read: (name: string) => T): T {
    const depth = this.#open.length;
    const name = this.#readStartTag();
    const result = read(name);
    if (this.#open.length !== depth + 1) this.#fail("unbalanced read");
    while (this.#nextChild()) this.#readElement(() => undefined);
    this.#readEndTag(name);
    return result;
  }

  #readStartTag(): string {
    this.#position += 1;
    const name = this.#match(namePattern)?.[0] ?? this.#fail("malformed tag");
    for (let attribute = this.#match(attributePattern); attribute; ) {
      decodeEntities(attribute[1] ?? attribute[2] ?? "");
      attribute = this.#match(attributePattern);
    }
    const end = this.#match(tagEndPattern) ?? this.#fail(`malformed tag ${name}`);
    if (this.#open.length === maxDepth) this.#fail(`more than ${maxDepth} levels`);
    this.#open.push(name);
    this.#isEmpty = end[1] === "/";
    return name;
  }

  #readEndTag(name: string): void {
    this.#open.pop();
    if (this.#isEmpty) {
      this.#isEmpty = false;
      return;
    }
    this.#position += 2;
    if (this.#match(namePattern)?.[0] !== name) this.#fail(`element ${name} is not closed`);
    const end = this.#match(tagEndPattern);
    if (!end || end[1]) this.#fail(`malformed end of ${name}`);
  }

  /** Skips text up to the next child; false at the end of the open element. */
  #nextChild(): boolean {
    while (!this.#atEnd()) {
      if (this.#startsWith("<![CDATA[")) this.#readUntil("]]>", "<![CDATA[".length);
      else if (this.#skipComment()) continue;
      else if (this.#source[this.#position] === "<") return true;
      else this.#readCharacters();
    }
    return false;
  }

  #atEnd(): boolean {
    if (this.#isEmpty || this.#startsWith("</")) return true;
    if (this.#position >= this.#source.length) this.#fail(`${this.#path()} is not closed`);
    return false;
  }

  #readCharacters(): string {
    const end = this.#source.indexOf("<", this.#position);
    const raw = this.#source.slice(this.#position, end < 0 ? this.#source.length : end);
    this.#position += raw.length;
    return decodeEntities(raw);
  }

  #skipComment(): boolean {
    if (this.#startsWith("<!--")) this.#readUntil("-->", "<!--".length);
    else if (this.#startsWith("<?")) this.#readUntil("?>", "<?".length);
    else return false;
    return true;
  }

  /** Skips space, comments and processing instructions outside the root. */
  #skipMisc(): void {
    do this.#match(/\s*/y);
    while (this.#skipComment());
  }

  #readUntil(end: string, skip: number): string {
    const from = this.#position + skip;
    const at = this.#source.indexOf(end, from);
    if (at < 0) this.#fail(`missing ${end}`);
    this.#position = at + end.length;
    return this.#source.slice(from, at);
  }

  #startsWith(text: string): boolean {
    return this.#source.startsWith(text, this.#position);
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#position;
    const found = pattern.exec(this.#source) ?? undefined;
    if (found) this.#position = pattern.lastIndex;
    return found;
  }

  #path(): string {
    return this.#open.join("/");
  }

  #fail(problem: string): never {
    throw new XmlError(`${problem}, at character ${this.#position}`);
  }
}

function decodeEntities(raw: string): string {
  if (!raw.includes("&")) return raw;
  return raw.replace(entityPattern, (entity, name?: string, decimal?: string, hex?: string) => {
    const known = name === undefined ? undefined : named[name];
    if (known !== undefined) return known;
    const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
    if (!isCharacter(code)) throw new XmlError(`invalid entity ${entity}`);
    return String.fromCodePoint(code);
  });
}

function isCharacter(code: number): boolean {
  if (code === 0x9 || code === 0xa || code === 0xd) return true;
  return (
    (code >= 0x20 && code <= 0xd7ff) ||
    (code >= 0xe000 && code <= 0xfffd) ||
    (code >= 0x10000 && code <= 0x10ffff)
  );
}
