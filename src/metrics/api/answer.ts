import type { IncomingMessage } from "node:http";
import { kubernetesVersion } from "#/api/base/kubernetes-version.ts";
import type { ComponentApi, ComponentReply } from "#/component/component-server.ts";
import { encodeJson } from "#/machinery/codec/json/encode-json.ts";
import { writeJson } from "#/machinery/codec/json/write-json.ts";
import { mediaTypes } from "#/machinery/codec/media-type.ts";
import {
  type Negotiated,
  negotiate,
  plainOffer,
  resourceOffer,
  wantsPretty,
} from "#/machinery/codec/negotiate.ts";
import { encodeProtobuf } from "#/machinery/codec/protobuf/protobuf-envelope.ts";
import { encodeYaml } from "#/machinery/codec/yaml/encode-yaml.ts";
import { writeYaml } from "#/machinery/codec/yaml/yaml-writer.ts";
import { methodNotAllowed, notAcceptable, StatusError } from "#/machinery/meta/status-error.ts";
import { findSchema } from "#/machinery/schema/kinds.ts";
import { parseTime } from "#/machinery/time/time.ts";
import type { Histogram } from "#/std/metrics/metric-series.ts";
import type { Clock } from "#/std/time/clock.ts";
import { discoveryDocuments } from "./discovery.ts";
import { apiVersion, attributesOf, findRequest, group, version } from "./request.ts";
import {
  type Measurements,
  type Selected,
  selectObjects,
  type UsageObject,
} from "./select-objects.ts";
import { usageTable } from "./usage-table.ts";

interface MetricsApiOptions {
  readonly measurements: () => Measurements;
  readonly freshness: Histogram;
  readonly clock: Clock;
}

/** The API metrics.k8s.io/v1beta1. */
export function metricsApi({ measurements, freshness, clock }: MetricsApiOptions): ComponentApi {
  return {
    attributesOf,
    answer(url, request) {
      try {
        return answerUnchecked(url, request);
      } catch (error) {
        if (error instanceof StatusError) return answerStatus(error, request);
        throw error;
      }
    },
  };

  function answerUnchecked(url: URL, request: IncomingMessage): ComponentReply | undefined {
    const method = request.method ?? "GET";
    const document = documentOf(url.pathname);
    if (document) return answerDocument(document, method, url, request);
    const asked = findRequest(url, method);
    const now = clock.now();
    const selected = asked && selectObjects(asked, url.searchParams, measurements(), now);
    if (!selected) return undefined;
    for (const { timestamp } of objectsOf(selected)) {
      freshness.observe((now - parseTime(timestamp)) / 1000);
    }
    const chosen = negotiate(request.headers.accept, offer);
    if (!chosen) throw notAcceptable(mediaTypes);
    return answerObjects(selected, chosen, url, request);
  }
}

/** An error in the format that the client accepts; in readable JSON if it accepts none. */
function answerStatus({ status }: StatusError, request: IncomingMessage): ComponentReply {
  const chosen = negotiate(request.headers.accept, plainOffer);
  const code = status.code ?? 500;
  if (chosen?.mediaType === "application/yaml") {
    return { status: code, contentType: chosen.mediaType, body: writeYaml(status) };
  }
  const body = `${writeJson(status, chosen ? {} : { pretty: true })}\n`;
  return { status: code, contentType: "application/json", body };
}

const offer = resourceOffer({ tables: true, custom: false });
const [major = "", minor = ""] = kubernetesVersion.slice(1).split(".");

const documents: Readonly<Record<string, object>> = {
  ...discoveryDocuments,
  "/version": { major, minor, gitVersion: kubernetesVersion },
};

function documentOf(path: string): object | undefined {
  const name = path.replace(/(.)\/$/, "$1");
  return Object.hasOwn(documents, name) ? documents[name] : undefined;
}

function answerDocument(
  document: object,
  method: string,
  url: URL,
  request: IncomingMessage,
): ComponentReply {
  if (method !== "GET" && method !== "HEAD") throw methodNotAllowed();
  const accepted = negotiate(request.headers.accept, plainOffer);
  if (!accepted) throw notAcceptable(mediaTypes);
  const { mediaType } = accepted;
  if (mediaType === "application/yaml") {
    return { contentType: mediaType, body: writeYaml(document) };
  }
  const pretty = isPretty(url, request);
  return { contentType: "application/json", body: `${writeJson(document, pretty)}\n` };
}

const objectsOf = (selected: Selected): readonly UsageObject[] =>
  "one" in selected ? [selected.one] : selected.items;

function answerObjects(
  selected: Selected,
  { mediaType, convertTo, pretty }: Negotiated,
  url: URL,
  request: IncomingMessage,
): ComponentReply {
  const layout = pretty ? { pretty } : isPretty(url, request);
  if (convertTo) {
    const include = url.searchParams.get("includeObject") ?? "";
    const value =
      convertTo.kind === "Table"
        ? usageTable(objectsOf(selected), convertTo.version, include)
        : metadataOf(selected, convertTo.version);
    if (mediaType === "application/yaml") return { contentType: mediaType, body: writeYaml(value) };
    return { contentType: "application/json", body: `${writeJson(value, layout)}\n` };
  }
  const value =
    "one" in selected
      ? selected.one
      : { kind: selected.kind, apiVersion, metadata: {}, items: selected.items.map(withoutKind) };
  const schema = findSchema(group, version, value.kind ?? "");
  if (!schema) throw new Error(`no schema for ${value.kind}`);
  switch (mediaType) {
    case "application/json":
      return { contentType: mediaType, body: encodeJson(value, schema, layout) };
    case "application/yaml":
      return { contentType: mediaType, body: encodeYaml(value, schema) };
    case "application/vnd.kubernetes.protobuf":
      return { contentType: mediaType, body: encodeProtobuf(value, schema) };
  }
}

/** Items of a list have no kind, as the list has it. */
const withoutKind = ({ kind: _, apiVersion: __, ...rest }: UsageObject) => rest;

function metadataOf(selected: Selected, metaVersion: string): object {
  const typed = (kind: string) => ({ kind, apiVersion: `meta.k8s.io/${metaVersion}` });
  const partial = ({ metadata }: UsageObject) => ({ ...typed("PartialObjectMetadata"), metadata });
  if ("one" in selected) return partial(selected.one);
  const items = selected.items.map(partial);
  return { ...typed("PartialObjectMetadataList"), metadata: {}, items };
}

function isPretty(url: URL, request: IncomingMessage): { pretty?: boolean } {
  const query = url.searchParams.get("pretty") ?? undefined;
  return wantsPretty(query, request.headers["user-agent"]) ? { pretty: true } : {};
}
