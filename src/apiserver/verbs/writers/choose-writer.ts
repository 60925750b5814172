import {
  bodyPatchType,
  mediaTypes,
  patchTypes,
  watchMediaTypes,
} from "#/machinery/codec/media-type.ts";
import {
  type Negotiated,
  negotiate,
  plainOffer,
  resourceOffer,
  routerAccepts,
  wantsPretty,
} from "#/machinery/codec/negotiate.ts";
import {
  badRequest,
  noRepresentation,
  noSuchBody,
  notAcceptable,
} from "#/machinery/meta/status-error.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import type { Clock } from "#/std/time/clock.ts";
import { type Exchange, header } from "../../model/exchange.ts";
import type { VersionedResource } from "../../registry/served-resource.ts";
import { metadataWriter } from "./metadata-writer.ts";
import { jsonWriter, type ObjectWriter, protobufWriter, readableWriter } from "./object-writer.ts";
import { type IncludeObject, tableWriter } from "./table-writer.ts";

/**
 * Refuses what upstream's router refuses: response media types that a path doesn't support, and unknown types of patch.
 */
function route(exchange: Exchange, { codec, resource }: VersionedResource): void {
  const { subresource, verb } = exchange.info;
  const { isRouted, actions } = resource.declaration;
  if (!isRouted || actions?.[subresource]) return;
  if (verb === "patch" && !bodyPatchType(header(exchange, "content-type"), patchTypes))
    throw noSuchBody();
  const isStream = verb === "list" || verb === "watch";
  const produced = isStream ? [...codec.mediaTypes, ...watchMediaTypes] : codec.mediaTypes;
  if (!routerAccepts(header(exchange, "accept"), produced)) throw noRepresentation(produced);
}

/** The form of the response that the client accepts; 406 if there is none. */
export function chooseWriter(
  exchange: Exchange,
  target: VersionedResource,
  clock: Clock,
): ObjectWriter {
  route(exchange, target);
  const accept = header(exchange, "accept");
  const custom = !target.codec.hasProtobuf;
  const { verbs, columns } = target.resource.declaration;
  const tables = verbs === undefined || columns !== undefined;
  const chosen = negotiate(accept, tables ? resourceOffer({ tables, custom }) : plainOffer);
  const isWatch = exchange.info.verb === "watch";
  // Custom resources have no protobuf form either, but upstream's error names it.
  if (!chosen) throw notAcceptable(isWatch ? watchMediaTypes : mediaTypes);
  const writer = writerFor(exchange, target, chosen, clock);
  if (isWatch && writer.watchContentType === undefined) throw notAcceptable(watchMediaTypes);
  return writer;
}

function writerFor(
  exchange: Exchange,
  target: VersionedResource,
  { mediaType, convertTo, pretty }: Negotiated,
  clock: Clock,
): ObjectWriter {
  if (convertTo?.kind === "Table") {
    return tableWriter(target, convertTo.version, includeObject(exchange), clock);
  }
  if (convertTo) return metadataWriter(target, convertTo, mediaType);
  if (mediaType === "application/vnd.kubernetes.protobuf") return protobufWriter(target);
  if (mediaType === "application/yaml") return readableWriter(target, { mediaType, pretty: false });
  const indented =
    pretty ||
    wantsPretty(exchange.query.get("pretty") ?? undefined, header(exchange, "user-agent"));
  return indented ? readableWriter(target, { mediaType, pretty: true }) : jsonWriter(target);
}

function includeObject({ query }: Exchange): IncludeObject {
  const value = query.get("includeObject") ?? "";
  if (value === "None" || value === "Metadata" || value === "Object") return value;
  if (value === "") return "Metadata";
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${goQuote(value)}: must be 'Metadata', 'Object', 'None', or empty`,
  );
}
