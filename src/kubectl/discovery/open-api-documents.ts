/** Upstream: staging/src/k8s.io/client-go/openapi, staging/src/k8s.io/client-go/discovery/cached/disk. */
import { join } from "node:path";
import type { Client } from "#/client/client.ts";
import { responseError } from "#/client/transport/response-error.ts";
import type { ApiResponse } from "#/client/transport/transport.ts";
import { readCached, writeCached } from "../base/json-cache.ts";
import type { OpenApiDocument, OpenApiV2Document } from "./open-api-schema.ts";

interface Kept {
  /** Identifies this version of the document: its hash. */
  readonly version: string;
  readonly document: unknown;
}

interface Index {
  readonly paths?: Readonly<Record<string, { readonly serverRelativeURL?: string }>>;
}

export interface OpenApiDocumentsOptions {
  readonly client: Client;
  /** Folder of cached documents. */
  readonly folder: string;
}

/** The schemas that a server publishes; each document is requested again only when it has changed. */
export class OpenApiDocuments {
  readonly #options: OpenApiDocumentsOptions;
  readonly #documents = new Map<string, Promise<OpenApiDocument>>();
  #paths: Promise<ReadonlyMap<string, string>> | undefined;
  #v2: Promise<OpenApiV2Document> | undefined;

  constructor(options: OpenApiDocumentsOptions) {
    this.#options = options;
  }

  /** The URLs of documents by group version: `api/v1`, `apis/apps/v1`. */
  paths(): Promise<ReadonlyMap<string, string>> {
    this.#paths ??= this.#askPaths();
    return this.#paths;
  }

  /** The document of a version of a group, by its path; undefined if there is none. */
  async find(path: string): Promise<OpenApiDocument | undefined> {
    const url = (await this.paths()).get(path);
    if (url === undefined) return undefined;
    const known = this.#documents.get(path);
    if (known) return known;
    const asked = this.#askDocument(path, url);
    this.#documents.set(path, asked);
    return asked;
  }

  /** A value computed from a document and cached with it; undefined if there is no document. */
  async derive<T>(
    path: string,
    name: string,
    compute: (document: OpenApiDocument) => T,
  ): Promise<T | undefined> {
    const url = (await this.paths()).get(path);
    const file = this.#file(`${path.replaceAll("/", "_")}.${name}`);
    const kept = readCached(file) as Kept | undefined;
    if (url === undefined) return undefined;
    if (kept?.version === url) return kept.document as T;
    const document = await this.find(path);
    if (!document) return undefined;
    const value = compute(document);
    if (url.includes("?")) writeCached(file, { version: url, document: value } satisfies Kept);
    return value;
  }

  /** The document of all groups, in version 2 of OpenAPI. */
  v2(): Promise<OpenApiV2Document> {
    this.#v2 ??= this.#askV2();
    return this.#v2;
  }

  async #askPaths(): Promise<ReadonlyMap<string, string>> {
    const answer = await this.#options.client.request<Index | string>({
      method: "GET",
      path: "/openapi/v3",
    });
    // Upstream's server gives this JSON the media type of plain text.
    const { paths = {} } = typeof answer === "string" ? (JSON.parse(answer) as Index) : answer;
    return new Map(
      Object.entries(paths).map(([path, { serverRelativeURL = `/openapi/v3/${path}` }]) => [
        path,
        serverRelativeURL,
      ]),
    );
  }

  /** The URL has a hash of the document, which identifies its version. */
  async #askDocument(path: string, url: string): Promise<OpenApiDocument> {
    const file = this.#file(path.replaceAll("/", "_"));
    const kept = readCached(file) as Kept | undefined;
    if (kept?.version === url) return kept.document as OpenApiDocument;
    const { pathname, search, searchParams } = new URL(url, "https://server");
    const { client } = this.#options;
    const document = await client.request<OpenApiDocument>({
      method: "GET",
      path: pathname,
      query: searchParams,
    });
    if (search !== "") writeCached(file, { version: url, document } satisfies Kept);
    return document;
  }

  async #askV2(): Promise<OpenApiV2Document> {
    const file = this.#file("v2");
    const kept = readCached(file) as Kept | undefined;
    const { client } = this.#options;
    const headers = kept === undefined ? {} : { "if-none-match": kept.version };
    const request = {
      method: "GET",
      path: "/openapi/v2",
      headers: { accept: "application/json", ...headers },
    };
    const answer = await client.transport.request(request);
    if (answer.status === 304 && kept !== undefined) return kept.document as OpenApiV2Document;
    const error = responseError(request, answer);
    if (error) throw error;
    keepV2(file, answer);
    return answer.body as OpenApiV2Document;
  }

  #file(name: string): string {
    return join(this.#options.folder, `${name}.json`);
  }
}

function keepV2(file: string, { headers, body }: ApiResponse): void {
  const { etag } = headers;
  if (etag !== undefined) writeCached(file, { version: etag, document: body } satisfies Kept);
}
