import { journeyApiVersion } from "#/machinery/journey/handles.ts";
import { type Journey, parseResource, type StepObject } from "#/machinery/journey/step.ts";
import { badRequest, notFound } from "#/machinery/meta/status-error.ts";
import { orAborted } from "#/std/async/aborted.ts";
import type { Clock } from "#/std/time/clock.ts";
import { denied } from "../auth/authorize.ts";
import { noAttributes } from "../model/authorizer.ts";
import type { Exchange, Reply } from "../model/exchange.ts";
import type { ResourceRequest } from "../registry/resource-request.ts";
import { isWanted, type Wanted } from "./find-journey.ts";
import type { Journal } from "./journal.ts";
import type { JournalFiles } from "./journal-files.ts";
import { jsonReply, type Send, watchReply } from "./json-reply.ts";
import type { SpanStore } from "./span-store.ts";

/** The defaults of ?resource=. */
const usual = "pods";
const usualOfCluster = "nodes";
const defaultLimit = 200;
/** Limit of the journeys of a list (count). */
const maxLimit = 1000;
/** Changes of a journey are sent together (ms). */
const watchDelayMs = 250;

export interface JourneySources {
  readonly journal: Journal;
  readonly files: JournalFiles | undefined;
  readonly spans: SpanStore;
  readonly clock: Clock;
}

/** What a request asks for. */
interface Asked extends Wanted {
  readonly uid: string | undefined;
}

function askedOf({ exchange, target }: ResourceRequest): Asked {
  const { info, query } = exchange;
  const isNamespaced = target.version.handle.namespaced;
  return {
    resource: query.get("resource") || (isNamespaced ? usual : usualOfCluster),
    isNamespaced,
    namespace: info.namespace,
    name: info.name,
    uid: query.get("uid") ?? undefined,
  };
}

const objectOf = ({ resource, namespace, name, uid }: Asked): StepObject => ({
  resource,
  ...(namespace === "" ? {} : { namespace }),
  name,
  ...(uid === undefined ? {} : { uid }),
});

/** One journey, from memory, or from the files if it is no longer there. */
export async function getJourney(
  request: ResourceRequest,
  { journal, files, spans }: JourneySources,
): Promise<Reply> {
  const wanted = askedOf(request);
  await authorizeObject(request, wanted);
  const of = objectOf(wanted);
  await files?.load();
  const found = journal.find(of) ?? (await files?.find(of));
  if (!found) throw notFound(request.target.version.handle, wanted.name);
  return jsonReply(200, withSpans(found, spans));
}

function withSpans(journey: Journey, store: SpanStore): Journey {
  const spans = store.find(journey.of.uid ?? "");
  return spans.length > 0 ? { ...journey, spans } : journey;
}

/** Journeys of other objects than Pods are for those who may read the objects. */
async function authorizeObject(
  { exchange, services }: ResourceRequest,
  { resource, namespace, name }: Wanted,
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
  { journal, files }: JourneySources,
): Promise<Reply> {
  await files?.load();
  const items = await knownJourneys(request, journal);
  return jsonReply(200, {
    kind: "JourneyList",
    apiVersion: journeyApiVersion,
    metadata: { resourceVersion: "" },
    items,
  });
}

async function knownJourneys(request: ResourceRequest, journal: Journal): Promise<Journey[]> {
  const wanted = askedOf(request);
  await authorizeObject(request, wanted);
  return journal.list(wanted, limitOf(request.exchange));
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
  const { exchange } = request;
  const wanted = askedOf(request);
  await authorizeObject(request, wanted);
  await sources.files?.load();
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
  wanted: Asked,
  { journal, spans, clock }: JourneySources,
  { signal, limitMs }: { readonly signal: AbortSignal; readonly limitMs: number },
): Promise<void> {
  const sent = new Set<string>();
  const changed = new Map<string, StepObject>();
  let change = Promise.withResolvers<void>();
  using _listening = journal.onChange((of) => {
    if (!isWanted(wanted, of)) return;
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
      await send(sent.has(key) ? "MODIFIED" : "ADDED", withSpans(journey, spans));
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
