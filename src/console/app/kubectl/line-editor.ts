/** What a key does besides changing the line. */
type EditorAction = "none" | "enter" | "cancel" | "end" | "complete" | "clear";

/** Limit of the lines that can be called back (count). They are in the page's memory only: they may have secrets. */
const maxHistory = 500;

const escapeCode = "\u001b";
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the keys of terminals.
const keyPattern = /^(?:\u001b(?:[[O][\d;]*[A-Za-z~]|[^[O])|[\s\S])/u;

/** The line that is being typed, with the keys of a shell. */
export class LineEditor {
  text = "";
  /** Where the next letter goes. */
  cursor = 0;
  readonly #history: string[] = [];
  /** The line of the history that is shown; its length for a new one. */
  #at = 0;
  #draft = "";

  get history(): readonly string[] {
    return this.#history;
  }

  /** The first key of what was typed. */
  static firstKey(input: string): string {
    return keyPattern.exec(input)?.[0] ?? input;
  }

  /** Replaces what is between two places. */
  replace(from: number, to: number, by: string): void {
    this.text = this.text.slice(0, from) + by + this.text.slice(to);
    this.cursor = from + by.length;
  }

  /** Takes the line, which can be called back later, and begins a new one. */
  take(remembers: boolean): string {
    const { text } = this;
    if (remembers && text.trim() !== "" && text !== this.#history.at(-1)) {
      this.#history.push(text);
      if (this.#history.length > maxHistory) this.#history.shift();
    }
    this.text = "";
    this.cursor = 0;
    this.#at = this.#history.length;
    return text;
  }

  press(key: string): EditorAction {
    if (Object.hasOwn(actions, key)) return actions[key] ?? "none";
    if (key === "\u0004") return this.text === "" ? "end" : this.#delete(1);
    const edit = Object.hasOwn(edits, key) ? edits[key] : undefined;
    if (edit) edit(this);
    else if (key === up) this.#recall(-1);
    else if (key === down) this.#recall(1);
    else if (key === `${escapeCode}[3~`) this.#delete(1);
    else if (key >= " " && !key.startsWith(escapeCode) && key !== "\u007f") {
      this.replace(this.cursor, this.cursor, key);
    }
    return "none";
  }

  #delete(count: number): "none" {
    this.replace(this.cursor, this.cursor + count, "");
    return "none";
  }

  #recall(step: number): void {
    const next = this.#at + step;
    if (next < 0 || next > this.#history.length) return;
    if (this.#at === this.#history.length) this.#draft = this.text;
    this.#at = next;
    this.text = this.#history[next] ?? this.#draft;
    this.cursor = this.text.length;
  }
}

const up = `${escapeCode}[A`;
const down = `${escapeCode}[B`;

const actions: Readonly<Record<string, EditorAction>> = {
  "\r": "enter",
  "\n": "enter",
  "\t": "complete",
  "\u0003": "cancel",
  "\u000c": "clear",
};

/** Where the word before the cursor begins. */
const wordStart = ({ text, cursor }: LineEditor): number =>
  /\S*\s*$/.exec(text.slice(0, cursor))?.index ?? 0;

const wordEnd = ({ text, cursor }: LineEditor): number =>
  cursor + (/^\s*\S*/.exec(text.slice(cursor))?.[0].length ?? 0);

type Edit = (editor: LineEditor) => void;

const goTo =
  (place: (editor: LineEditor) => number): Edit =>
  (editor) => {
    editor.cursor = Math.max(0, Math.min(editor.text.length, place(editor)));
  };

const toStart = goTo(() => 0);
const toEnd = goTo(({ text }) => text.length);
const toLeft = goTo(({ cursor }) => cursor - 1);
const toRight = goTo(({ cursor }) => cursor + 1);
const eraseBefore: Edit = (editor) =>
  editor.replace(Math.max(0, editor.cursor - 1), editor.cursor, "");

const edits: Readonly<Record<string, Edit>> = {
  "\u0001": toStart,
  [`${escapeCode}[H`]: toStart,
  "\u0005": toEnd,
  [`${escapeCode}[F`]: toEnd,
  "\u0002": toLeft,
  [`${escapeCode}[D`]: toLeft,
  "\u0006": toRight,
  [`${escapeCode}[C`]: toRight,
  [`${escapeCode}b`]: goTo(wordStart),
  [`${escapeCode}[1;5D`]: goTo(wordStart),
  [`${escapeCode}f`]: goTo(wordEnd),
  [`${escapeCode}[1;5C`]: goTo(wordEnd),
  "\u007f": eraseBefore,
  "\b": eraseBefore,
  "\u000b": (editor) => {
    editor.text = editor.text.slice(0, editor.cursor);
  },
  "\u0015": (editor) => editor.replace(0, editor.cursor, ""),
  "\u0017": (editor) => editor.replace(wordStart(editor), editor.cursor, ""),
};
