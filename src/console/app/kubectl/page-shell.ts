import { ByteQueue } from "../base/byte-queue.ts";
import { widthOf } from "../terminal/character-width.ts";
import { ShownTerminal } from "../terminal/shown-terminal.ts";
import { t } from "../texts/texts.ts";
import { type ParsedLine, parseLine, wordsToComplete } from "./command-line.ts";
import { completeLine } from "./complete-line.ts";
import { LineEditor } from "./line-editor.ts";
import type { Kubectl } from "./load-kubectl.ts";
import type { PageTerminal } from "./page-host.ts";
import { runPipeline } from "./pipeline.ts";
import { runProgram } from "./programs.ts";

/** A command that runs, and what the user types for it. */
interface Running {
  readonly stop: AbortController;
  readonly typed: ByteQueue;
  /** Whether the command reads what is typed. */
  isReading: boolean;
  /** The line that is being typed for it. */
  line: string;
}

/** A text between << and a word. */
interface HereText {
  readonly line: ParsedLine;
  readonly end: string;
  readonly text: string[];
}

const prompt = "$ ";
const shownPrompt = "\u001b[1;35m$\u001b[0m ";
const furtherPrompt = "> ";

const encoder = new TextEncoder();

/** A small shell whose programs are kubectl and some tools for text. Everything it runs is in the page. */
export class PageShell {
  readonly shown = new ShownTerminal((text) => this.#type(text));
  readonly #kubectl: () => Promise<Kubectl>;
  readonly #editor = new LineEditor();
  readonly #resized = new Set<() => void>();
  readonly #terminal: PageTerminal;
  #running: Running | undefined;
  #isRaw = false;
  #here: HereText | undefined;
  /** What was typed and is not used yet. */
  #pending = "";
  #isHandling = false;
  #hasBegun = false;
  /** Rows of the terminal above that of the cursor which the line takes. */
  #rowsAbove = 0;

  constructor(kubectl: () => Promise<Kubectl>) {
    this.#kubectl = kubectl;
    const { screen } = this.shown.terminal;
    const resized = this.#resized;
    const setRaw = (isRaw: boolean) => {
      this.#isRaw = isRaw;
    };
    this.#terminal = {
      get columns() {
        return screen.columns;
      },
      get rows() {
        return screen.rows;
      },
      setRaw,
      onResize(changed) {
        resized.add(changed);
        return { [Symbol.dispose]: () => void resized.delete(changed) };
      },
    };
  }

  /** Loads kubectl before it is needed. A failure is shown by the command that needs it. */
  load(): void {
    this.#kubectl().catch(() => undefined);
  }

  /** Called when the terminal has another size, and when it has its first. */
  resized(): void {
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      this.#write(`${t().terminalHello}\n`);
      this.#draw();
    }
    for (const changed of this.#resized) changed();
  }

  #write(chunk: string | Uint8Array): void {
    if (typeof chunk !== "string" && this.#isRaw) this.shown.writeBytes(chunk, "raw");
    else {
      const text = typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk);
      this.shown.write(this.#isRaw ? text : text.replace(/\r?\n/g, "\r\n"));
    }
  }

  #type(text: string): void {
    if (this.#running && this.#isRaw) {
      this.#running.typed.push(encoder.encode(text));
      return;
    }
    this.#pending += text;
    if (text.includes("\u0003") && this.#running) this.#interrupt(this.#running);
    void this.#handlePending();
  }

  #interrupt({ stop }: Running): void {
    this.#pending = "";
    this.#write("^C\n");
    stop.abort();
  }

  /** Uses what was typed, until a command runs that does not read it. */
  async #handlePending(): Promise<void> {
    if (this.#isHandling) return;
    this.#isHandling = true;
    try {
      while (this.#pending !== "") {
        const running = this.#running;
        if (running && !running.isReading) return;
        const key = LineEditor.firstKey(this.#pending);
        this.#pending = this.#pending.slice(key.length);
        if (running) this.#pressFor(running, key);
        else await this.#press(key);
      }
    } finally {
      this.#isHandling = false;
    }
  }

  /** A key for a command that reads lines. */
  #pressFor(running: Running, key: string): void {
    if (key === "\u0004") {
      running.typed.push(encoder.encode(running.line));
      running.typed.end();
    } else if (key === "\r" || key === "\n") {
      running.typed.push(encoder.encode(`${running.line}\n`));
      running.line = "";
      this.#write("\n");
    } else if (key === "\u007f" && running.line !== "") {
      running.line = running.line.slice(0, -1);
      this.#write("\b \b");
    } else if (key >= " " && key !== "\u007f") {
      running.line += key;
      this.#write(key);
    }
  }

  async #press(key: string): Promise<void> {
    const editor = this.#editor;
    const action = editor.press(key);
    if (action === "enter") await this.#enter();
    else if (action === "complete") await this.#complete();
    else if (action === "cancel") {
      this.#endLine("^C");
      editor.take(false);
      this.#here = undefined;
    } else if (action === "clear") {
      this.shown.write("\u001b[2J\u001b[H");
      this.#rowsAbove = 0;
    }
    if (!this.#running) this.#draw();
  }

  /** Puts the cursor below the line. */
  #endLine(mark = ""): void {
    this.#editor.cursor = this.#editor.text.length;
    const isFull = this.#draw();
    this.#write(isFull && mark === "" ? "" : `${mark}\n`);
    this.#rowsAbove = 0;
  }

  async #enter(): Promise<void> {
    this.#endLine();
    const text = this.#editor.take(this.#here === undefined);
    if (this.#here) return this.#addText(this.#here, text);
    try {
      const line = parseLine(text);
      if (line.textEnd !== undefined) this.#here = { line, end: line.textEnd, text: [] };
      else this.#start(line, undefined);
    } catch (error) {
      this.#write(`${(error as Error).message}\n`);
    }
  }

  async #addText(here: HereText, text: string): Promise<void> {
    if (text.trim() !== here.end) {
      here.text.push(`${text}\n`);
      return;
    }
    this.#here = undefined;
    this.#start(here.line, here.text.join(""));
  }

  #start(line: ParsedLine, text: string | undefined): void {
    const [words] = line.commands;
    const [name = ""] = words ?? [];
    if (words === undefined) return;
    if (name === "clear") this.shown.write("\u001b[3J\u001b[2J\u001b[H");
    else if (name === "help") this.#write(`${t().terminalHelp}\n`);
    else if (name === "history") {
      this.#write(this.#editor.history.map((one, index) => `${index + 1}  ${one}\n`).join(""));
    } else void this.#run(line, text);
  }

  async #run(line: ParsedLine, text: string | undefined): Promise<void> {
    const running: Running = {
      stop: new AbortController(),
      typed: new ByteQueue(),
      isReading: false,
      line: "",
    };
    this.#running = running;
    try {
      const kubectl = await this.#kubectl();
      const ends = {
        typed: this.#typedFor(running),
        write: (chunk: string | Uint8Array) => this.#write(chunk),
        signal: running.stop.signal,
      };
      await runPipeline(line, text, ends, (words, streams) =>
        runProgram(words, { streams, terminal: this.#terminal, kubectl }),
      );
    } catch (error) {
      this.#write(`${(error as Error).message}\n`);
    }
    this.#isRaw = false;
    this.#running = undefined;
    if (this.shown.terminal.screen.column > 0) this.#write("\n");
    this.#draw();
    void this.#handlePending();
  }

  /** What is typed for a command; from its first read on, keys are the command's. */
  #typedFor(running: Running): AsyncIterable<Uint8Array> {
    return {
      [Symbol.asyncIterator]: () => {
        running.isReading = true;
        void this.#handlePending();
        return running.typed[Symbol.asyncIterator]();
      },
    };
  }

  async #complete(): Promise<void> {
    const editor = this.#editor;
    const words = wordsToComplete(editor.text.slice(0, editor.cursor));
    if (words === undefined) return;
    const kubectl = await this.#kubectl();
    const { insert, choices } = await completeLine(words, { kubectl, terminal: this.#terminal });
    if (insert !== "") editor.replace(editor.cursor, editor.cursor, insert);
    if (choices.length === 0) return;
    const { text, cursor } = editor;
    this.#endLine();
    this.#write(choices.map((choice) => `${choice}\n`).join(""));
    editor.text = text;
    editor.cursor = cursor;
  }

  /** Draws the line that is being typed, over as many rows as it takes; true if the cursor is below it then. */
  #draw(): boolean {
    const { columns } = this.shown.terminal.screen;
    const { text, cursor } = this.#editor;
    const start = this.#here ? furtherPrompt : prompt;
    const all = widthOfText(start + text);
    const before = widthOfText(start + text.slice(0, cursor));
    const rowOf = (width: number) => Math.floor(width / columns);
    const isFull = all > 0 && all % columns === 0;
    const parts = [
      this.#rowsAbove > 0 ? `\u001b[${this.#rowsAbove}A` : "",
      `\r\u001b[J${this.#here ? furtherPrompt : shownPrompt}${text}${isFull ? "\r\n" : ""}`,
      rowOf(all) > rowOf(before) ? `\u001b[${rowOf(all) - rowOf(before)}A` : "",
      `\r${before % columns > 0 ? `\u001b[${before % columns}C` : ""}`,
    ];
    this.#rowsAbove = rowOf(before);
    this.shown.write(parts.join(""));
    return isFull && cursor === text.length;
  }
}

const widthOfText = (text: string): number =>
  [...text].reduce((sum, character) => sum + widthOf(character), 0);
