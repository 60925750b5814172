import { createHash } from "node:crypto";
import { mediaTypes } from "#/machinery/codec/media-type.ts";
import {
  type Negotiated,
  negotiate,
  type Offer,
  plainOffer,
  wantsPretty,
} from "#/machinery/codec/negotiate.ts";
import { noSuchResource, notAcceptable } from "#/machinery/meta/status-error.ts";
import { assertReads, type Paths } from "../http/paths.ts";
import { bytesReply, type Exchange, type Handler, header, type Reply } from "../model/exchange.ts";
import type { Catalog } from "../registry/catalog.ts";
import { encodeKind, type OutputFormat } from "../registry/version-codec.ts";
import {
  aggregatedDiscovery,
  apiGroup,
  apiGroupList,
  apiResourceList,
  apiVersions,
  type ServedGroup,
  type ServedVersion,
  servedGroups,
} from "./discovery.ts";

const aggregatedType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/** The aggregated servers, with groups that are shown beside its own. */
interface OtherServers {
  /** Increases with every change of theirs. */
  readonly generation: number;
  /** All groups in their order; ties are broken by the names of groups, or of their APIServices. */
  merge(groups: readonly ServedGroup[], tieBreak: "group" | "apiService"): readonly ServedGroup[];
}

/** Serves /api, /apis and the paths below them. Documents are made once per change of the catalog. */
export function addDiscovery(
  paths: Paths,
  catalog: Catalog,
  serverAddress: string,
  others: OtherServers = { generation: 0, merge: (groups) => groups },
): void {
  const documents = new DocumentCache(() => `${catalog.generation} ${others.generation}`);
  const groups = () => documents.get("groups", () => others.merge(servedGroups(catalog), "group"));
  const legacyGroups = () =>
    documents.get("legacy groups", () => others.merge(servedGroups(catalog), "apiService"));
  const isCore = ({ name }: ServedGroup) => name === "";
  paths.addDocument("/api", mediaTypes, async (exchange) =>
    wantsAggregated(exchange)
      ? documents.aggregated("/api aggregated", exchange, () =>
          aggregatedDiscovery(groups().filter(isCore)),
        )
      : documents.reply("/api", exchange, () => apiVersions(serverAddress)),
  );
  const allGroups: Handler = async (exchange) =>
    wantsAggregated(exchange)
      ? documents.aggregated("/apis aggregated", exchange, () =>
          aggregatedDiscovery(groups().filter((group) => !isCore(group))),
        )
      : documents.reply("/apis", exchange, () => apiGroupList(legacyGroups()));
  for (const path of ["/apis", "/apis/"]) paths.add(path, allGroups);
  paths.addPrefix("/api/", async (exchange) =>
    describe(exchange, groups(), documents, ["", ...segments(exchange, 1)]),
  );
  paths.addPrefix("/apis/", async (exchange) =>
    describe(exchange, groups(), documents, segments(exchange, 1)),
  );
  const index = () => Buffer.from(JSON.stringify({ paths: allPaths(paths, groups()) }, null, 2));
  for (const path of indexPaths) {
    paths.add(path, async () => bytesReply(200, "application/json", index()));
  }
}

const indexPaths = ["/", "/index.html"];

/** All paths: those that are not resources, and those of groups and versions. */
function allPaths(paths: Paths, groups: readonly ServedGroup[]): string[] {
  const served = groups.flatMap(({ name, versions }) => {
    const root = name === "" ? "/api" : `/apis/${name}`;
    return [root, ...versions.map(({ version }) => `${root}/${version}`)];
  });
  const all = new Set([...paths.list(), ...served]);
  for (const path of indexPaths) all.delete(path);
  return [...all].sort();
}

function segments({ path }: Exchange, skipped: number): string[] {
  return path.split("/").filter(Boolean).slice(skipped);
}

function describe(
  exchange: Exchange,
  groups: readonly ServedGroup[],
  documents: DocumentCache,
  [name = "", version]: readonly string[],
): Reply {
  const group = groups.find((candidate) => candidate.name === name);
  if (!group) return notFoundReply();
  if (version === undefined) {
    return documents.reply(exchange.path, exchange, () => ({
      kind: "APIGroup",
      apiVersion: "v1",
      ...apiGroup(group),
    }));
  }
  const served = group.versions.find((candidate) => candidate.version === version);
  const isRouted = ({ resources }: ServedVersion) =>
    resources.some(({ resource }) => resource.declaration.isRouted);
  if (!served && !group.versions.some(isRouted)) return notFoundReply();
  if (!served) throw noSuchResource();
  if (isRouted(served)) assertReads(exchange, mediaTypes);
  const groupVersion = name === "" ? version : `${name}/${version}`;
  return documents.reply(exchange.path, exchange, () =>
    apiResourceList(groupVersion, served.resources),
  );
}

function notFoundReply(): Reply {
  return bytesReply(404, "text/plain; charset=utf-8", Buffer.from("404 page not found\n"));
}

/** Plain documents in every media type, and aggregated discovery in JSON. */
const offer: Offer = {
  mediaTypes,
  allows: (mediaType, convertTo) =>
    convertTo === undefined ||
    (mediaType === "application/json" &&
      convertTo.group === "apidiscovery.k8s.io" &&
      convertTo.version === "v2" &&
      convertTo.kind === "APIGroupDiscoveryList"),
};

function negotiated(exchange: Exchange, offered: Offer): Negotiated {
  const chosen = negotiate(header(exchange, "accept"), offered);
  if (!chosen) throw notAcceptable(mediaTypes);
  return chosen;
}

/** Whether the client requests aggregated discovery; 406 for a removed version of it. */
function wantsAggregated(exchange: Exchange): boolean {
  return negotiated(exchange, offer).convertTo !== undefined;
}

/** Documents that are cached until the catalog changes. */
class DocumentCache {
  readonly #state: () => string;
  readonly #values = new Map<string, unknown>();
  #madeFor = "";

  constructor(state: () => string) {
    this.#state = state;
  }

  get<T>(key: string, make: () => T): T {
    const state = this.#state();
    if (this.#madeFor !== state) {
      this.#values.clear();
      this.#madeFor = state;
    }
    if (!this.#values.has(key)) this.#values.set(key, make());
    return this.#values.get(key) as T;
  }

  /** A document in the form the client accepts. */
  reply(key: string, exchange: Exchange, make: () => object): Reply {
    const chosen = negotiated(exchange, plainOffer);
    const { mediaType } = chosen;
    const query = exchange.query.get("pretty") ?? undefined;
    const pretty = chosen.pretty || wantsPretty(query, header(exchange, "user-agent"));
    const body = this.get(`${key} ${mediaType} ${pretty}`, () =>
      encodeDocument(make(), { mediaType, pretty }),
    );
    return bytesReply(200, mediaType, body);
  }

  /** Aggregated discovery, with an ETag, or 304 if the client has it already. */
  aggregated(key: string, exchange: Exchange, make: () => object): Reply {
    const { body, etag } = this.get(key, () => {
      const bytes = Buffer.from(`${JSON.stringify(make())}\n`);
      const hash = createHash("sha512").update(bytes).digest("hex").toUpperCase();
      return { body: bytes, etag: `"${hash}"` };
    });
    const headers = { etag, vary: "Accept", "cache-control": "public" };
    if (header(exchange, "if-none-match") === etag)
      return bytesReply(304, aggregatedType, new Uint8Array(), headers);
    return bytesReply(200, aggregatedType, body, headers);
  }
}

/** Documents of the core group have no apiVersion in JSON. */
function encodeDocument(document: object, format: OutputFormat): Uint8Array {
  const { apiVersion } = document as { apiVersion?: string };
  if (apiVersion !== undefined || format.mediaType !== "application/json") {
    return encodeKind({ ...document, apiVersion: "v1" }, format);
  }
  return Buffer.from(`${JSON.stringify(document, undefined, format.pretty ? 2 : 0)}\n`);
}
