import { routerAccepts } from "#/machinery/codec/negotiate.ts";
import { methodNotAllowed, noRepresentation } from "#/machinery/meta/status-error.ts";
import { type Exchange, type Handler, header } from "../model/exchange.ts";

/**
 * Handlers of paths that aren't resources: health, metrics, discovery, OpenAPI.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/server/mux/pathrecorder.go, and its router for documents.
 */
export class Paths {
  readonly #exact = new Map<string, Handler>();
  readonly #prefixes: { readonly prefix: string; readonly handler: Handler }[] = [];
  readonly #listed = new Set<string>();

  /** A handler for one path, whatever the method. */
  add(path: string, handler: Handler): void {
    this.addUnlisted(path, handler);
    this.#listed.add(path);
  }

  /** The same for a path that the index does not list. */
  addUnlisted(path: string, handler: Handler): void {
    this.#exact.set(path, handler);
  }

  /** A handler for a read-only document, with or without a slash at the end of its path. */
  addDocument(path: string, produced: readonly string[], handler: Handler): void {
    const reading: Handler = async (exchange) => {
      assertReads(exchange, produced);
      return handler(exchange);
    };
    this.add(path, reading);
    this.addUnlisted(`${path}/`, reading);
  }

  /** A handler for everything below a path; the prefix ends in a slash. The longest one wins. */
  addPrefix(prefix: string, handler: Handler): void {
    this.#prefixes.push({ prefix, handler });
    this.#prefixes.sort((a, b) => b.prefix.length - a.prefix.length);
  }

  find(path: string): Handler | undefined {
    return (
      this.#exact.get(path) ?? this.#prefixes.find(({ prefix }) => path.startsWith(prefix))?.handler
    );
  }

  /** Every path, for the index at "/". */
  list(): readonly string[] {
    return [...this.#listed];
  }
}

/** Refuses what upstream's router refuses: other methods, and clients that accept none of the media types. */
export function assertReads(exchange: Exchange, produced: readonly string[]): void {
  if (exchange.method !== "GET") throw methodNotAllowed();
  if (!routerAccepts(header(exchange, "accept"), produced)) throw noRepresentation(produced);
}
