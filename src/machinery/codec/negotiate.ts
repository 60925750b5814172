import { memoByIdentity } from "#/std/memory/memo.ts";
import { type MediaType, mediaTypes } from "./media-type.ts";

/** The kind to which the client requests conversion. */
export interface ConvertTo {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The media types and conversions that an endpoint supports. */
export interface Offer<Type extends string = MediaType> {
  /** The first one is the default. */
  readonly mediaTypes: readonly Type[];
  /** Whether the endpoint supports this media type, with this conversion if there is one. */
  readonly allows: (mediaType: Type, convertTo: ConvertTo | undefined) => boolean;
}

/** The negotiated response format. */
export interface Negotiated<Type extends string = MediaType> {
  readonly mediaType: Type;
  /** Indented, because the media type requests it; see wantsPretty for other reasons. */
  readonly pretty: boolean;
  /** "watch"; "" when the media type does not say it. */
  readonly stream: string;
  /** The requested discovery document: "nopeer", or "". */
  readonly profile: string;
  readonly convertTo?: ConvertTo;
}

/** For endpoints without conversion of responses. */
export const plainOffer: Offer = { mediaTypes, allows: (_, convertTo) => convertTo === undefined };

/**
 * For resources: Tables if they have columns, and metadata only. Custom resources have no protobuf
 * form, but their metadata has.
 */
export function resourceOffer({ tables, custom }: { tables: boolean; custom: boolean }): Offer {
  if (custom) return tables ? customTableOffer : customOffer;
  return tables ? tableOffer : metadataOffer;
}

function newResourceOffer(tables: boolean, custom: boolean): Offer {
  return {
    mediaTypes,
    allows(mediaType, convertTo) {
      const isProtobuf = mediaType === "application/vnd.kubernetes.protobuf";
      if (convertTo === undefined) return !custom || !isProtobuf;
      const { group, version, kind } = convertTo;
      if (group !== "meta.k8s.io" || (version !== "v1" && version !== "v1beta1")) return false;
      if (kind === "Table") return tables && !isProtobuf;
      return kind === "PartialObjectMetadata" || kind === "PartialObjectMetadataList";
    },
  };
}

const customTableOffer = newResourceOffer(true, true);
const customOffer = newResourceOffer(false, true);
const tableOffer = newResourceOffer(true, false);
const metadataOffer = newResourceOffer(false, false);

/** Limit of cached headers for each offer (count): clients send only a few different ones. */
const maxRemembered = 64;

/** Results of negotiation by offer and Accept header. */
const answersOf = memoByIdentity((_offer: object) => new Map<string, unknown>());

/**
 * Negotiates the response format by an Accept header; undefined if nothing offered is acceptable.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/endpoints/handlers/negotiation/negotiate.go,
 * vendor/github.com/munnerz/goautoneg.
 */
export function negotiate<Type extends string = MediaType>(
  accept: string | undefined,
  offer: Offer<Type>,
): Negotiated<Type> | undefined {
  if (accept === undefined || accept === "") {
    const [mediaType] = offer.mediaTypes;
    return mediaType && { mediaType, pretty: false, stream: "", profile: "" };
  }
  const answers = answersOf(offer);
  // The cache is per offer, so its entries have the offer's type.
  if (answers.has(accept)) return answers.get(accept) as Negotiated<Type> | undefined;
  const answer = negotiateUncached(accept, offer);
  if (answers.size < maxRemembered) answers.set(accept, answer);
  return answer;
}

function negotiateUncached<Type extends string>(
  accept: string,
  offer: Offer<Type>,
): Negotiated<Type> | undefined {
  for (const clause of parseAccept(accept)) {
    for (const mediaType of offer.mediaTypes) {
      const chosen = matches(clause, mediaType) ? choose(clause, mediaType, offer) : undefined;
      if (chosen !== undefined) return chosen;
    }
  }
  return undefined;
}

/**
 * Whether a router that ignores parameters and partial wildcards accepts a request.
 *
 * Upstream: vendor/github.com/emicklei/go-restful/v3/route.go.
 */
export function routerAccepts(accept: string | undefined, produced: readonly string[]): boolean {
  if (accept === undefined || accept === "") return true;
  return accept.split(",").some((clause) => {
    const [mediaType = ""] = clause.split(";", 1);
    const type = mediaType.trim();
    return type === "*/*" || produced.includes(type);
  });
}

/**
 * Whether a client gets indented JSON for a reason other than the media type: a query parameter, or
 * a User-Agent of a browser or of curl or wget.
 */
export function wantsPretty(query: string | undefined, userAgent: string | undefined): boolean {
  if (query !== undefined && query !== "") return goTrue.has(query);
  return /^(?:curl|Wget|Mozilla\/5\.0)/.test(userAgent ?? "");
}

/** The texts that Go's strconv.ParseBool reads as true. */
const goTrue: ReadonlySet<string> = new Set(["1", "t", "T", "true", "TRUE", "True"]);

interface Clause {
  readonly type: string;
  readonly subtype: string;
  readonly quality: number;
  readonly parameters: ReadonlyMap<string, string>;
}

/** Limit of clauses (count), more than any client sends; the rest of the header is ignored. */
const maxClauses = 100;

function parseAccept(header: string): Clause[] {
  const clauses = header.split(",", maxClauses).flatMap((part) => parseClause(trim(part)) ?? []);
  // An insertion sort, because upstream's order is not transitive and so depends on the algorithm.
  for (let i = 1; i < clauses.length; i++) {
    for (let j = i; j > 0 && isBefore(clauses[j], clauses[j - 1]); j--) {
      clauses.splice(j - 1, 2, clauses[j] as Clause, clauses[j - 1] as Clause);
    }
  }
  return clauses;
}

function parseClause(text: string): Clause | undefined {
  const [range = "", ...rest] = text.split(";");
  const [type = "", subtype, more] = range.split("/").map(trim);
  if (more !== undefined && more !== "") return undefined;
  if ((subtype === undefined || subtype === "") && type !== "*") return undefined;
  let quality = 1;
  const parameters = new Map<string, string>();
  for (const parameter of rest) {
    const [name = "", value = "", excess = ""] = parameter.split("=");
    if (value === "" || excess !== "") continue;
    if (trim(name) === "q") quality = Number(value) || 0;
    else parameters.set(trim(name), trim(value));
  }
  return { type, subtype: subtype || "*", quality, parameters };
}

function trim(text: string): string {
  return text.replace(/^ +| +$/g, "");
}

function isBefore(a: Clause | undefined, b: Clause | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  if (a.quality > b.quality) return true;
  return (a.type !== "*" && b.type === "*") || (a.subtype !== "*" && b.subtype === "*");
}

function matches({ type, subtype }: Clause, mediaType: string): boolean {
  const [offeredType, offeredSubtype] = mediaType.split("/");
  if (type === "*" && subtype === "*") return true;
  return type === offeredType && (subtype === offeredSubtype || subtype === "*");
}

/** The format that a clause requests in one media type; undefined if it is not available. */
function choose<Type extends string>(
  { parameters }: Clause,
  mediaType: Type,
  offer: Offer<Type>,
): Negotiated<Type> | undefined {
  const stream = parameters.get("stream") ?? "";
  if (stream !== "" && (stream !== "watch" || mediaType === "application/yaml")) return undefined;
  const serverVersion = parameters.get("sv") ?? "";
  if (serverVersion !== "" && serverVersion !== "v1") return undefined;
  const convertTo = ["as", "g", "v"].some((name) => parameters.has(name))
    ? {
        group: parameters.get("g") ?? "",
        version: parameters.get("v") ?? "",
        kind: parameters.get("as") ?? "",
      }
    : undefined;
  if (!offer.allows(mediaType, convertTo)) return undefined;
  const pretty = parameters.get("pretty") === "1";
  const profile = parameters.get("profile") ?? "";
  return { mediaType, pretty, stream, profile, ...(convertTo && { convertTo }) };
}
