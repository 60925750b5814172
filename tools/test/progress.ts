import type { FileResult } from "./file-result.ts";

/** Interval of lines if the output is no terminal (ms). */
const lineEveryMs = 20_000;

/** Writes the progress of a run: one line that is updated, or, if the output is no terminal, a line per interval. */
export class Progress {
  readonly #total: number;
  readonly #out: NodeJS.WriteStream;
  #files = 0;
  #tests = 0;
  #failed = 0;
  #lastLine = Date.now();

  constructor(total: number, out: NodeJS.WriteStream) {
    this.#total = total;
    this.#out = out;
  }

  add({ file, passed, failures }: FileResult): void {
    this.#files++;
    this.#tests += passed + failures.length;
    this.#failed += failures.length;
    const failed = this.#failed === 0 ? "" : `, ${this.#failed} failed`;
    const text = `${this.#files} of ${this.#total} files, ${this.#tests} tests${failed}`;
    if (this.#out.isTTY) {
      this.#out.write(`\r\x1b[K${text}`);
      if (this.#files === this.#total) this.#out.write("\n");
    } else if (this.#files === this.#total || Date.now() - this.#lastLine >= lineEveryMs) {
      this.#lastLine = Date.now();
      this.#out.write(`${text}\n`);
    }
    // Details follow at the end of the run, which may be many minutes away.
    const names = new Set(failures.map((failure) => failure.names[0] ?? "the process"));
    const start = this.#out.isTTY ? "\r\x1b[K" : "";
    for (const name of names) this.#out.write(`${start}failed: ${file}: ${name}\n`);
  }
}
