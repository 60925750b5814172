import { signal } from "@preact/signals";
import { Terminal } from "./terminal.ts";

/** The size before it is known how much room there is. */
const firstSize = { columns: 80, rows: 24 };

/** A terminal on the page: it is drawn once a frame, however often programs write. */
export class ShownTerminal {
  readonly terminal: Terminal;
  /** Changes whenever the terminal is to be drawn. */
  readonly frame = signal(0);
  readonly input: (text: string) => void;
  readonly #decoders = new Map<string, TextDecoder>();
  #isWaiting = false;

  /** `input` gets what the user types, and what the terminal answers to programs. */
  constructor(input: (text: string) => void) {
    this.input = input;
    this.terminal = new Terminal(firstSize, input);
  }

  write(text: string): void {
    this.terminal.write(text);
    this.draw();
  }

  /** Writes bytes of one of several streams: a character may be split between two pieces. */
  writeBytes(bytes: Uint8Array, stream: string): void {
    const decoder = this.#decoders.get(stream) ?? new TextDecoder();
    this.#decoders.set(stream, decoder);
    this.write(decoder.decode(bytes, { stream: true }));
  }

  draw(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    requestAnimationFrame(() => {
      this.#isWaiting = false;
      this.frame.value++;
    });
  }
}
