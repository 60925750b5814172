import type { Source } from "./source.ts";

/** Limit of issues that are kept (count); further ones are only counted. */
const maxIssues = 100;

/** One error of an expression. */
interface Issue {
  /** Code point of the error, or noOffset. */
  readonly offset: number;
  readonly message: string;
}

/**
 * The errors of an expression.
 *
 * Upstream: vendor/github.com/google/cel-go/common/errors.go.
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

  /** Adds the issues of another. */
  append(other: Issues): void {
    for (const { offset, message } of other.#issues) this.report(offset, message);
    this.#count += other.#count - other.#issues.length;
  }

  /** All issues as one text, sorted by position. */
  toString(): string {
    const sorted = this.#issues.toSorted((a, b) => a.offset - b.offset);
    const lines = sorted.map(({ offset, message }) => this.#source.display(offset, message));
    if (this.#count > maxIssues)
      lines.push(`${this.#count - maxIssues} more errors were truncated`);
    return lines.join("\n");
  }
}
