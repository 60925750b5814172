import { negotiate, type Offer } from "#/machinery/codec/negotiate.ts";
import { memoByIdentity } from "#/std/memory/memo.ts";
import { TurnBudget } from "#/std/memory/turn-budget.ts";
import { systemClock } from "#/std/time/clock.ts";
import type { Paths } from "../http/paths.ts";
import { bytesReply, type Exchange, type Handler, header, type Reply } from "../model/exchange.ts";
import type { Catalog } from "../registry/catalog.ts";
import type { VersionedResource } from "../registry/served-resource.ts";
import { fixedDocuments } from "./fixed-documents.ts";
import { documentPath, GroupVersionDocument, type Sent, sent } from "./group-version-document.ts";
import { encodeV2Json, joinV2, type V2Document, type V2Parts } from "./v2-document.ts";
import { encodeV2Protobuf } from "./v2-protobuf.ts";

/** The documents of aggregated servers. */
interface OtherDocuments {
  /** Increases with every change of them. */
  readonly generation: number;
  /** URLs by path. */
  readonly documents: Readonly<Record<string, string>>;
  serveDocument(exchange: Exchange, path: string): Promise<Reply> | undefined;
  /** The parts of their v2 documents, as JSON. */
  v2Parts(): Promise<readonly V2Parts[]>;
}

const noOthers: OtherDocuments = {
  generation: 0,
  documents: {},
  serveDocument: () => undefined,
  v2Parts: async () => [],
};

/**
 * Serves /openapi/v2 and /openapi/v3. A document is made on its first request, and again after a change of its
 * resources; those of other group versions stay. Those that were not used between two calls of forgetUnused() are made
 * again.
 *
 * Upstream: kube-openapi/pkg/handler, pkg/handler3.
 */
export function addOpenApi(
  paths: Paths,
  catalog: Catalog,
  others: OtherDocuments = noOthers,
): { forgetUnused(): void } {
  const documents = new Documents(catalog, others);
  paths.add("/openapi/v2", async (exchange) => v2Reply(exchange, documents));
  paths.add("/openapi/v3", async (exchange) =>
    unlessKnown(exchange, await documents.index(), { type: "text/plain; charset=utf-8" }),
  );
  const below: Handler = async (exchange) => {
    const path = exchange.path.slice("/openapi/v3/".length);
    return others.serveDocument(exchange, path) ?? documentReply(exchange, path, documents);
  };
  paths.add("/openapi/v3/", below);
  paths.addPrefix("/openapi/v3/", below);
  return documents;
}

const oneYearMs = 365 * 24 * 60 * 60 * 1000;

function documentReply(exchange: Exchange, path: string, documents: Documents): Reply {
  const found = documents.find(path);
  if (!found) return emptyReply(404);
  const hash = exchange.query.get("hash") ?? "";
  if (hash !== "" && hash !== found.hash) {
    const location = relativeUrl(path, found);
    return bytesReply(301, "text/html; charset=utf-8", new Uint8Array(), { location });
  }
  const answer = reply(exchange, found);
  if (hash === "") return answer;
  const expires = new Date(systemClock.now() + oneYearMs).toUTCString();
  return {
    ...answer,
    headers: { ...answer.headers, "cache-control": "public, immutable", expires },
  };
}

const protobufType = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
/** The older name of the same media type, which clients request. */
const oldProtobufType = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

/** JSON, or protobuf for clients that prefer it. */
async function v2Reply(exchange: Exchange, documents: Documents): Promise<Reply> {
  const [first = ""] = (header(exchange, "accept") ?? "").split(",");
  const type = first.trim().split(";")[0];
  const document = await documents.v2();
  if (type !== protobufType && type !== oldProtobufType) {
    return reply(exchange, await jsonOfV2(document));
  }
  return reply(exchange, await protobufOfV2(document), protobufType);
}

const jsonOffer: Offer = { mediaTypes: ["application/json"], allows: () => true };

const relativeUrl = (path: string, { hash }: Pick<Sent, "hash">): string =>
  `/openapi/v3/${path}?hash=${hash}`;

function reply(exchange: Exchange, sent: Sent, type = "application/json"): Reply {
  const accepted = negotiate(header(exchange, "accept"), jsonOffer);
  if (!accepted && type === "application/json") return emptyReply(406);
  return unlessKnown(exchange, sent, { type, vary: "Accept" });
}

function unlessKnown(
  exchange: Exchange,
  { bytes, hash }: Sent,
  { type, vary }: { readonly type: string; readonly vary?: string },
): Reply {
  const etag = `"${hash}"`;
  const headers = { etag, "accept-ranges": "bytes", ...(vary === undefined ? {} : { vary }) };
  if (header(exchange, "if-none-match") === etag) {
    return bytesReply(304, type, new Uint8Array(), headers);
  }
  return bytesReply(200, type, bytes, headers);
}

const emptyReply = (status: number): Reply => ({
  status,
  headers: {},
  body: { type: "bytes", chunks: [] },
});

/** The documents of the current catalog. */
class Documents {
  readonly #catalog: Catalog;
  readonly #others: OtherDocuments;
  #generation = -1;
  #othersGeneration = -1;
  #byPath = new Map<string, GroupVersionDocument>();
  #v2: V2Document | undefined;
  #isV2Used = false;
  #v2Others:
    | { readonly generation: number; readonly parts: Promise<readonly V2Parts[]> }
    | undefined;
  #index: Sent | undefined;

  constructor(catalog: Catalog, others: OtherDocuments) {
    this.#catalog = catalog;
    this.#others = others;
  }

  find(path: string): Sent | undefined {
    return this.#current().get(path)?.v3 ?? fixedDocuments.get(path)?.v3;
  }

  /** The URL of each document, with its hash. */
  async index(): Promise<Sent> {
    await oneByOne(this.#current().values(), (document) => document.hash);
    const current = this.#current();
    const { generation, documents } = this.#others;
    if (this.#othersGeneration !== generation) this.#index = undefined;
    this.#othersGeneration = generation;
    this.#index ??= sent(Buffer.from(JSON.stringify({ paths: indexOf(current, documents) })));
    return this.#index;
  }

  /** The single document of OpenAPI v2. */
  async v2(): Promise<V2Document> {
    await oneByOne(this.#current().values(), (document) => document.v2);
    const { generation } = this.#others;
    if (this.#v2Others?.generation !== generation) {
      this.#v2Others = { generation, parts: this.#others.v2Parts() };
      this.#v2 = undefined;
    }
    const others = await this.#v2Others.parts;
    const current = this.#current();
    const own = [...fixedDocuments.values(), ...current.values()].map(({ v2 }) => v2);
    this.#isV2Used = true;
    this.#v2 ??= joinV2([...others, ...own]);
    return this.#v2;
  }

  forgetUnused(): void {
    if (!this.#isV2Used) this.#v2 = undefined;
    this.#isV2Used = false;
    for (const document of this.#byPath.values()) document.forgetUnused();
  }

  #current(): ReadonlyMap<string, GroupVersionDocument> {
    if (this.#generation === this.#catalog.generation) return this.#byPath;
    this.#generation = this.#catalog.generation;
    this.#v2 = undefined;
    this.#index = undefined;
    const before = this.#byPath;
    this.#byPath = new Map();
    for (const [path, { place, resources }] of placesOf(this.#catalog)) {
      const known = before.get(path);
      const same =
        known?.resources.length === resources.length &&
        known.resources.every((one, index) => one === resources[index]);
      this.#byPath.set(path, same ? known : new GroupVersionDocument(place, resources));
    }
    return this.#byPath;
  }
}

const jsonOfV2 = memoByIdentity(async (document: V2Document): Promise<Sent> => {
  const bytes = await new TurnBudget(systemClock).run(encodeV2Json(document));
  return sent(bytes);
});

/** The same in protobuf, with the same hash. */
const protobufOfV2 = memoByIdentity(async (document: V2Document): Promise<Sent> => {
  const { hash } = await jsonOfV2(document);
  return { bytes: await new TurnBudget(systemClock).run(encodeV2Protobuf(document)), hash };
});

/** Makes missing parts of many documents, with other work in between. */
async function oneByOne(
  documents: Iterable<GroupVersionDocument>,
  make: (document: GroupVersionDocument) => unknown,
): Promise<void> {
  const budget = new TurnBudget(systemClock);
  for (const document of documents) {
    make(document);
    if (budget.isSpent) await budget.yield();
  }
}

interface Place {
  readonly place: { readonly group: string; readonly version: string };
  readonly resources: VersionedResource[];
}

/** Every group version with its resources; built-in groups have a document of their own, too. */
function placesOf(catalog: Catalog): Map<string, Place> {
  const places = new Map<string, Place>();
  const at = (place: Place["place"]): Place => {
    const path = documentPath(place);
    const known = places.get(path) ?? { place, resources: [] };
    places.set(path, known);
    return known;
  };
  for (const { versions } of catalog.listed) {
    for (const target of versions.values()) {
      const { group, version } = target.version.handle;
      at({ group, version }).resources.push(target);
      if (!target.version.openApi && group !== "") at({ group, version: "" });
    }
  }
  return places;
}

function indexOf(
  documents: ReadonlyMap<string, GroupVersionDocument>,
  others: Readonly<Record<string, string>>,
): object {
  const fixed = [...fixedDocuments].map(([path, { v3 }]) => [path, relativeUrl(path, v3)] as const);
  const own = [...documents].map(([path, one]) => [path, relativeUrl(path, one)] as const);
  const urls = new Map([...fixed, ...own, ...Object.entries(others)]);
  const sorted = [...urls].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    sorted.map(([path, serverRelativeURL]) => [path, { serverRelativeURL }]),
  );
}
