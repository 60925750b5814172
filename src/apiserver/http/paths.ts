import type { Handler } from "./exchange.ts";

/** What answers for paths that aren't resources: health, metrics, discovery, OpenAPI. */
export class Paths {
  readonly #exact = new Map<string, Handler>();
  readonly #prefixes: { readonly prefix: string; readonly handler: Handler }[] = [];

  /** A handler for one path, with or without a slash at its end. */
  add(path: string, handler: Handler): void {
    this.#exact.set(path, handler);
  }

  /** A handler for everything below a path; the prefix ends in a slash. The longest one wins. */
  addPrefix(prefix: string, handler: Handler): void {
    this.#prefixes.push({ prefix, handler });
    this.#prefixes.sort((a, b) => b.prefix.length - a.prefix.length);
  }

  find(path: string): Handler | undefined {
    const trimmed = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
    return (
      this.#exact.get(trimmed) ??
      this.#prefixes.find(({ prefix }) => path.startsWith(prefix))?.handler
    );
  }

  /** Every path, for the index at "/". */
  list(): readonly string[] {
    return [
      ...this.#exact.keys(),
      ...this.#prefixes.map(({ prefix }) => prefix.slice(0, -1)),
    ].sort();
  }
}
