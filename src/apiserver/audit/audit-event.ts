import { isIP } from "node:net";
import type { Event, ObjectReference, Stage } from "#/api/audit/v1.ts";
import type { UserInfo as WireUser } from "#/api/authentication/v1.ts";
import { formatMicroTime } from "#/machinery/time/time.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { type Exchange, header, type UserInfo } from "../model/exchange.ts";
import type { RequestInfo } from "../model/request-info.ts";
import type { AuditChoice } from "./audit-policy.ts";

/** Upstream: staging/src/k8s.io/apiserver/pkg/audit/{request,format}.go. */
const maxUserAgentLength = 1024;

/** The properties of a request that are known before it is served. */
export function newAuditEvent(
  exchange: Exchange,
  level: AuditChoice["level"],
  receivedMs: number,
): Event {
  const { info, user } = exchange;
  const agent = header(exchange, "user-agent") ?? "";
  return {
    kind: "Event",
    apiVersion: "audit.k8s.io/v1",
    level,
    auditID: exchange.auditId,
    stage: "RequestReceived",
    requestURI: requestUri(exchange),
    verb: info.verb,
    user: wireUser(user),
    ...(exchange.impersonator ? { impersonatedUser: wireUser(user) } : {}),
    sourceIPs: sourceIps(exchange),
    ...(agent === "" ? {} : { userAgent: shortened(agent) }),
    ...(info.isResourceRequest ? { objectRef: referenceOf(info) } : {}),
    requestReceivedTimestamp: formatMicroTime(receivedMs),
  };
}

/** The event at a stage. */
export function atStage(
  event: Event,
  stage: Stage,
  nowMs: number,
  { annotations }: Exchange,
): Event {
  return {
    ...event,
    stage,
    stageTimestamp: formatMicroTime(nowMs),
    ...(annotations.size > 0 ? { annotations: Object.fromEntries(annotations) } : {}),
  };
}

/** A user in the form of events. */
export function wireUser(user: UserInfo | undefined): WireUser {
  if (!user) return {};
  const { name, uid, groups, extra } = user;
  return {
    username: name,
    ...(uid ? { uid } : {}),
    ...(groups.length > 0 ? { groups: [...groups] } : {}),
    ...(extra && Object.keys(extra).length > 0
      ? { extra: structuredClone(extra) as Record<string, string[]> }
      : {}),
  };
}

function requestUri({ rawPath, rawQuery, query }: Exchange): string {
  const search = rawQuery ?? query.toString();
  return search === "" ? rawPath : `${rawPath}?${search}`;
}

const shortened = (agent: string): string =>
  agent.length > maxUserAgentLength ? `${agent.slice(0, maxUserAgentLength)}...TRUNCATED` : agent;

function referenceOf(info: RequestInfo): ObjectReference {
  const { resource, namespace, name, apiGroup, apiVersion, subresource } = info;
  const fields = { resource, namespace, name, apiGroup, apiVersion, subresource };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ""));
}

/** The client's addresses: those of proxy headers, then that of the connection. */
function sourceIps(exchange: Exchange): string[] {
  const forwarded = (header(exchange, "x-forwarded-for") ?? "").split(",");
  const ips = forwarded.map((ip) => ip.trim()).filter((ip) => isIP(ip) !== 0);
  const real = header(exchange, "x-real-ip");
  if (real && isIP(real) !== 0 && !ips.includes(real)) ips.push(real);
  const { address: peer } = exchange.peer;
  if (peer !== "" && ips.at(-1) !== peer) ips.push(peer);
  return ips;
}

/** An event as one line of the legacy format. */
export function legacyLine(event: Event): string {
  const { user, impersonatedUser: as, objectRef, responseStatus, sourceIPs } = event;
  const list = (items: readonly string[] | undefined) =>
    items?.map((item) => goQuote(item)).join(",");
  const fields = [
    ["id", event.auditID],
    ["stage", event.stage],
    ["ip", sourceIPs?.[0] ?? "<unknown>"],
    ["method", event.verb],
    ["user", user.username || "<none>"],
    ["groups", list(user.groups) ?? "<none>"],
    ["as", as ? (as.username ?? "") : "<self>"],
    ["asgroups", list(as?.groups) ?? "<lookup>"],
    ["user-agent", event.userAgent ?? ""],
    ["namespace", objectRef?.namespace ?? "<none>"],
    ["uri", event.requestURI],
  ].map(([name, value]) => `${name}=${goQuote(value ?? "")}`);
  const code = responseStatus ? String(responseStatus.code ?? 0) : "<deferred>";
  return `${event.requestReceivedTimestamp} AUDIT: ${fields.join(" ")} response="${code}"`;
}
