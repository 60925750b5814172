import type { Status } from "#/api/meta/v1.ts";
import { negotiate, type Offer, plainOffer, wantsPretty } from "#/machinery/codec/negotiate.ts";
import { bytesReply, type Exchange, header, type Reply } from "../model/exchange.ts";
import { encodeKind, type OutputFormat } from "../registry/version-codec.ts";

/** A Status as response, in a media type that the client accepts; indented JSON if there is none. */
export function statusReply(status: Status, exchange: Exchange, offer: Offer = plainOffer): Reply {
  const code = status.code ?? 500;
  const retryAfter = status.details?.retryAfterSeconds;
  const headers = retryAfter ? { "retry-after": String(retryAfter) } : {};
  const { mediaType, pretty } = formatFor(exchange, offer);
  const body = encodeKind({ ...status, kind: "Status", apiVersion: "v1" }, { mediaType, pretty });
  return bytesReply(code, mediaType, body, headers);
}

/** Upstream: staging/src/k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/writers.go. */
function formatFor(exchange: Exchange, offer: Offer): OutputFormat {
  const accepted = negotiate(header(exchange, "accept"), offer);
  if (!accepted) return { mediaType: "application/json", pretty: true };
  const { mediaType, pretty } = accepted;
  const query = exchange.query.get("pretty") ?? undefined;
  return { mediaType, pretty: pretty || wantsPretty(query, header(exchange, "user-agent")) };
}
