import type { Source } from "./source.ts";

/** More issues than this are only counted. */
const maxIssues = 100;

/** One thing wrong with an expression. */
interface Issue {
  /** Code point it is reported at, or noOffset. */
  readonly offset: number;
  readonly message: string;
}

/**
 * What is wrong with an expression.
 *
 * Upstream: cel-go/common/errors.go.
 */
export class Issues {
  readonly #source: Source;
  readonly #issues: Issue[] = [];
  #count = 0;

  constructor(source: Source) {
    this.#source = source;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  report(offset: number, message: string): void {
    this.#count++;
    if (this.#count <= maxIssues) this.#issues.push({ offset, message });
  }

  /** Takes over the issues of another. */
  append(other: Issues): void {
    for (const { offset, message } of other.#issues) this.report(offset, message);
    this.#count += other.#count - other.#issues.length;
  }

  /** All of them as one text, in the order of their places. */
  toString(): string {
    const sorted = this.#issues.toSorted((a, b) => a.offset - b.offset);
    const lines = sorted.map(({ offset, message }) => this.#source.display(offset, message));
    if (this.#count > maxIssues)
      lines.push(`${this.#count - maxIssues} more errors were truncated`);
    return lines.join("\n");
  }
}
