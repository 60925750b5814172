import { journeyApiVersion } from "#/machinery/journey/handles.ts";
import { type Journey, parseResource, type StepObject } from "#/machinery/journey/step.ts";
import { badRequest, notFound } from "#/machinery/meta/status-error.ts";
import { orAborted } from "#/std/async/aborted.ts";
import type { Clock } from "#/std/time/clock.ts";
import { denied } from "../auth/authorize.ts";
import { noAttributes } from "../model/authorizer.ts";
import type { Exchange, Reply } from "../model/exchange.ts";
import type { ResourceRequest } from "../registry/resource-request.ts";
import { type Journal, journeyOf } from "./journal.ts";
import { jsonReply, type Send, watchReply } from "./json-reply.ts";
import type { SegmentLog } from "./segment-log.ts";

/** The default of ?resource=. */
const usual = "pods";
const defaultLimit = 200;
/** Limit of the journeys of a list (count). */
const maxLimit = 1000;
/** Changes of a journey are sent together (ms). */
const watchDelayMs = 250;
/** Limit of lines that a journey is read back from (count). */
const maxFound = 2000;

export interface JourneySources {
  readonly journal: Journal;
  readonly log: SegmentLog | undefined;
  readonly clock: Clock;
}

/** What a request asks for. */
interface Wanted {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string | undefined;
}

function wantedOf({ info, query }: Exchange, isNamed: boolean): Wanted {
  const resource = query.get("resource") ?? (isNamed ? usual : "");
  return {
    resource,
    namespace: info.namespace,
    name: info.name,
    uid: query.get("uid") ?? undefined,
  };
}

const objectOf = ({ resource, namespace, name, uid }: Wanted): StepObject => ({
  resource,
  ...(namespace === "" ? {} : { namespace }),
  name,
  ...(uid === undefined ? {} : { uid }),
});

/** One journey, from memory, or from the files if it is no longer there. */
export async function getJourney(
  request: ResourceRequest,
  { journal, log }: JourneySources,
): Promise<Reply> {
  const wanted = wantedOf(request.exchange, true);
  await authorizeObject(request, wanted);
  const of = objectOf(wanted);
  const found = journal.find(of) ?? (log && (await readBack(log, of)));
  if (!found) throw notFound(request.target.version.handle, wanted.name);
  return jsonReply(200, found);
}

/** Searches the files. Only one search at a time: each reads all of them. */
let searching: Promise<unknown> = Promise.resolve();

function readBack(log: SegmentLog, of: StepObject): Promise<Journey | undefined> {
  const search = searching.then(() => findInFiles(log, of));
  searching = search.catch(() => undefined);
  return search;
}

async function findInFiles(log: SegmentLog, of: StepObject): Promise<Journey | undefined> {
  const { uid, ...named } = of;
  const start = `"of":${JSON.stringify(named).slice(0, -1)}`;
  const byUid = new Map<string, string[]>();
  for await (const line of log.find(start)) {
    const key = /"uid":"([^"]*)"/.exec(line.slice(line.indexOf(start)))?.[1] ?? "";
    const lines = byUid.get(key) ?? [];
    if (lines.length < maxFound) lines.push(line);
    byUid.delete(key);
    byUid.set(key, lines);
  }
  const uids = [...byUid.keys()].filter((key) => key !== "").reverse();
  const chosen = uid ?? uids[0] ?? "";
  const lines = byUid.get(chosen);
  if (!lines) return undefined;
  return journeyOf({ ...named, ...(chosen === "" ? {} : { uid: chosen }) }, lines, { uids });
}

/** Journeys of other objects than Pods are for those who may read the objects. */
async function authorizeObject(
  { exchange, services }: ResourceRequest,
  { resource, namespace, name }: Pick<Wanted, "resource" | "namespace" | "name">,
): Promise<void> {
  if (resource === usual) return;
  const { user } = exchange;
  if (!user) throw badRequest("the request has no user");
  const { group, name: plural } = parseResource(resource);
  const verb = name === "" ? "list" : "get";
  const about = { apiGroup: group, resource: plural, namespace, name };
  const attributes = { ...noAttributes, ...about, apiVersion: "*", user, verb };
  const { decision, reason } = await services.authorizer.authorize(attributes);
  if (decision !== "allow") throw denied(attributes, reason);
}

/** The journeys of a scope, the newest first. */
export async function listJourneys(
  request: ResourceRequest,
  { journal }: JourneySources,
): Promise<Reply> {
  const items = await knownJourneys(request, journal);
  return jsonReply(200, {
    kind: "JourneyList",
    apiVersion: journeyApiVersion,
    metadata: { resourceVersion: "" },
    items,
  });
}

async function knownJourneys(request: ResourceRequest, journal: Journal): Promise<Journey[]> {
  const { exchange, target } = request;
  const wanted = wantedOf(exchange, false);
  const resource = wanted.resource || (target.version.handle.namespaced ? usual : "nodes");
  await authorizeObject(request, { ...wanted, resource });
  return journal.list(matcher({ ...wanted, resource }), limitOf(exchange));
}

function matcher({ resource, namespace, name }: Wanted): (of: StepObject) => boolean {
  return (of) =>
    of.resource === resource &&
    (namespace === "" || of.namespace === namespace) &&
    (name === "" || of.name === name);
}

function limitOf({ query }: Exchange): number {
  const text = query.get("limit");
  if (text === null || text === "" || text === "0") return defaultLimit;
  if (!/^\d{1,9}$/.test(text)) throw badRequest("limit: is not a number");
  return Math.min(Number(text), maxLimit);
}

/** The journeys of a scope as they change. */
export async function watchJourneys(
  request: ResourceRequest,
  sources: JourneySources,
): Promise<Reply> {
  const { exchange, target } = request;
  const given = wantedOf(exchange, false);
  const resource = given.resource || (target.version.handle.namespaced ? usual : "nodes");
  const wanted = { ...given, resource };
  await authorizeObject(request, wanted);
  const limitMs = secondsOf(exchange) * 1000;
  return watchReply((send, signal) => sendChanges(send, wanted, sources, { signal, limitMs }));
}

/** Default of timeoutSeconds, and its maximum. */
const longestWatchSeconds = 3600;

function secondsOf({ query }: Exchange): number {
  const seconds = Number(query.get("timeoutSeconds") ?? longestWatchSeconds);
  return seconds > 0 ? Math.min(seconds, longestWatchSeconds) : longestWatchSeconds;
}

async function sendChanges(
  send: Send,
  wanted: Wanted,
  { journal, clock }: JourneySources,
  { signal, limitMs }: { readonly signal: AbortSignal; readonly limitMs: number },
): Promise<void> {
  const matches = matcher(wanted);
  const sent = new Set<string>();
  const changed = new Map<string, StepObject>();
  let change = Promise.withResolvers<void>();
  using _listening = journal.onChange((of) => {
    if (!matches(of)) return;
    changed.set(keyOf(of), of);
    change.resolve();
  });
  using ending = endAfter(clock, limitMs, signal);
  if (wanted.name !== "") changed.set("", objectOf(wanted));
  while (!ending.signal.aborted) {
    for (const of of changed.values()) {
      changed.delete(keyOf(of));
      const journey = journal.find(of);
      if (!journey) continue;
      const key = keyOf(journey.of);
      await send(sent.has(key) ? "MODIFIED" : "ADDED", journey);
      sent.add(key);
    }
    changed.delete("");
    await clock.sleep(watchDelayMs, ending.signal).catch(() => undefined);
    if (changed.size > 0) continue;
    change = Promise.withResolvers();
    await orAborted(change.promise, ending.signal).catch(() => undefined);
  }
}

/** A signal that aborts after a time, or with another signal. */
function endAfter(clock: Clock, ms: number, signal: AbortSignal) {
  const over = new AbortController();
  const timer = clock.setTimer(ms, () => over.abort(), { keepAlive: false });
  return {
    signal: AbortSignal.any([signal, over.signal]),
    [Symbol.dispose]: () => timer.cancel(),
  };
}

const keyOf = ({ uid, namespace = "", name, resource }: StepObject): string =>
  uid ?? `${resource}/${namespace}/${name}`;
