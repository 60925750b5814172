/** What a program sends to its terminal, piece by piece. */
export interface SequenceHandler {
  /** Printable characters. */
  print(text: string): void;
  /** A control character, such as a line feed. */
  control(code: number): void;
  /** ESC and a letter, with what stands between them: a character set, for example. */
  escape(final: string, between: string): void;
  /** CSI: a command with numbers. `prefix` is "?", ">" or "". */
  command(final: string, numbers: readonly number[], prefix: string): void;
  /** OSC: a text for the terminal, such as a title. */
  message(text: string): void;
}

type State = "text" | "escape" | "command" | "message" | "ignored";

/** Limit of a sequence (characters): a program that never ends one does not fill the memory. */
const maxLength = 4096;

const escapeCode = 0x1b;
const bell = 0x07;

/**
 * Takes the output of a program apart, as ECMA-48 and xterm define it. Sequences may be split between pieces. Texts for
 * devices (DCS, APC, PM) are dropped.
 */
export class SequenceParser {
  readonly #handler: SequenceHandler;
  #state: State = "text";
  #collected = "";

  constructor(handler: SequenceHandler) {
    this.#handler = handler;
  }

  write(text: string): void {
    let from = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (this.#state === "text" && code >= 0x20 && code !== 0x7f) continue;
      if (this.#state === "text" && at > from) this.#handler.print(text.slice(from, at));
      this.#next(code, text.charAt(at));
      from = at + 1;
    }
    if (this.#state === "text" && from < text.length) this.#handler.print(text.slice(from));
  }

  #next(code: number, character: string): void {
    if (this.#state === "escape") this.#inEscape(code, character);
    else if (this.#state === "command") this.#inCommand(code, character);
    else if (this.#state !== "text") this.#inText(code, character);
    else if (code === escapeCode) this.#begin("escape");
    else this.#handler.control(code);
  }

  #begin(state: State): void {
    this.#state = state;
    this.#collected = "";
  }

  #inEscape(code: number, character: string): void {
    const isFirst = this.#collected === "";
    if (code === escapeCode) this.#begin("escape");
    else if (code < 0x20) this.#handler.control(code);
    else if (code < 0x30) this.#collect(character);
    else if (isFirst && character === "[") this.#begin("command");
    else if (isFirst && character === "]") this.#begin("message");
    else if (isFirst && "PX^_".includes(character)) this.#begin("ignored");
    else {
      const between = this.#collected;
      this.#begin("text");
      this.#handler.escape(character, between);
    }
  }

  #inCommand(code: number, character: string): void {
    if (code === escapeCode) this.#begin("escape");
    else if (code < 0x20) this.#handler.control(code);
    else if (code < 0x40) this.#collect(character);
    else this.#endCommand(character);
  }

  #endCommand(final: string): void {
    const [whole, prefix = "", numbers = ""] = /^([<=>?]?)([\d;:]*)$/.exec(this.#collected) ?? [];
    this.#begin("text");
    if (whole !== undefined) this.#handler.command(final, numbersOf(numbers), prefix);
  }

  /** In a text that ends with BEL or with ESC and a backslash. */
  #inText(code: number, character: string): void {
    const isEnd = code === bell || code === escapeCode || code === 0x18 || code === 0x1a;
    if (!isEnd) {
      this.#collect(character);
      return;
    }
    const text = this.#collected;
    const wasMessage = this.#state === "message";
    // The backslash that follows ESC is an escape sequence that does nothing.
    this.#begin(code === escapeCode ? "escape" : "text");
    if (wasMessage) this.#handler.message(text);
  }

  #collect(character: string): void {
    if (this.#collected.length < maxLength) this.#collected += character;
  }
}

/** Numbers between semicolons; those left out are 0. A colon separates the parts of a colour. */
const numbersOf = (text: string): number[] =>
  text === "" ? [] : text.split(/[;:]/).map((word) => Math.min(Number(word), 65_535) || 0);
