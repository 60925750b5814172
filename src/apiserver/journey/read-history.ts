import { journeyApiVersion } from "#/machinery/journey/handles.ts";
import { parseResource, type StepObject } from "#/machinery/journey/step.ts";
import { badRequest, notFound } from "#/machinery/meta/status-error.ts";
import { formatMicroTime, formatTime } from "#/machinery/time/time.ts";
import { backgroundTurn } from "#/std/async/slices.ts";
import { changedPointers } from "../admission/base/changed-pointers.ts";
import { denied } from "../auth/authorize.ts";
import { noAttributes } from "../model/authorizer.ts";
import type { Reply } from "../model/exchange.ts";
import type { ResourceRequest } from "../registry/resource-request.ts";
import { type History, type Version, versionAt } from "./history.ts";
import { jsonReply } from "./json-reply.ts";
import type { HistoryKeeper } from "./keep-history.ts";

const usual = "pods";
const defaultLimit = 100;
/** Limit of the versions of a list (count). */
const maxLimit = 1000;

/** Limit of what is parsed to name the fields that changed in a list (bytes). */
const maxParsedBytes = 8 << 20;

export interface HistorySources {
  readonly history: History;
  readonly keeper: Pick<HistoryKeeper, "load">;
}

/** The versions of one object, for those who may read it. */
export async function getHistory(
  request: ResourceRequest,
  { history, keeper }: HistorySources,
): Promise<Reply> {
  const { info, query } = request.exchange;
  const { namespace, name } = info;
  const resource = query.get("resource") ?? usual;
  const uid = query.get("uid") ?? undefined;
  if (!(await mayRead(request, { resource, namespace, name }, "get")))
    throw await refusal(request, resource);
  const of: StepObject = {
    resource,
    ...(namespace === "" ? {} : { namespace }),
    name,
    ...(uid === undefined ? {} : { uid }),
  };
  await keeper.load();
  const known = history.versions(of);
  const at = query.get("at");
  const found =
    at === null ? known : [versionAt(known, parseAt(at))].filter((one) => one !== undefined);
  const last = found.at(-1);
  if (!last) throw notFound(request.target.version.handle, name);
  const withObjects = query.get("objects") !== "false";
  return jsonReply(200, {
    kind: "History",
    apiVersion: journeyApiVersion,
    metadata: { name, ...(namespace === "" ? {} : { namespace }) },
    of: last.of,
    versions: found.map((version) => shown(version, before(known, version), withObjects)),
  });
}

/** A feed of changes: the newest versions of all objects that the user may list. */
export async function listHistory(
  request: ResourceRequest,
  { history, keeper }: HistorySources,
): Promise<Reply> {
  const { info, query } = request.exchange;
  await keeper.load();
  const { namespaced } = request.target.version.handle;
  const inScope = (of: StepObject) =>
    (of.namespace !== undefined) === namespaced &&
    (info.namespace === "" || of.namespace === info.namespace);
  const limit = Math.min(Number(query.get("limit")) || defaultLimit, maxLimit);
  const found = history.newest(inScope, limit);
  const resources = [...new Set(found.map(({ of }) => of.resource))];
  const readable = new Set<string>();
  for (const resource of resources) {
    const scope = { resource, namespace: info.namespace, name: "" };
    if (await mayRead(request, scope, "list")) readable.add(resource);
  }
  return jsonReply(200, {
    kind: "HistoryList",
    apiVersion: journeyApiVersion,
    metadata: { resourceVersion: "" },
    items: await itemsOf(
      found.filter(({ of }) => readable.has(of.resource)),
      history,
    ),
  });
}

/** Versions without their objects; of the first ones it is said what changed. */
async function itemsOf(versions: readonly Version[], history: History): Promise<object[]> {
  const items: object[] = [];
  let left = maxParsedBytes;
  for (const version of versions) {
    await backgroundTurn();
    const old = left > 0 ? before(history.versions(version.of), version) : undefined;
    if (old) left -= old.sizeBytes + version.sizeBytes;
    items.push({
      kind: "History",
      apiVersion: journeyApiVersion,
      metadata: metadataOf(version),
      of: version.of,
      ...shown(version, old, false),
    });
  }
  return items;
}

/** Clients that know nothing of histories need it: the name is the object's, by which its history is read. */
function metadataOf({ of: { namespace, name }, revision, atMs }: Version): object {
  return {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    resourceVersion: String(revision),
    creationTimestamp: formatTime(atMs),
  };
}

type Scope = { readonly resource: string; readonly namespace: string; readonly name: string };

async function mayRead(
  { exchange, services }: ResourceRequest,
  { resource, namespace, name }: Scope,
  verb: string,
): Promise<boolean> {
  const { user } = exchange;
  if (!user) return false;
  const { group, name: plural } = parseResource(resource);
  const about = { apiGroup: group, apiVersion: "*", resource: plural, namespace, name };
  const attributes = { ...noAttributes, ...about, user, verb };
  return (await services.authorizer.authorize(attributes)).decision === "allow";
}

async function refusal({ exchange }: ResourceRequest, resource: string): Promise<Error> {
  const { user, info } = exchange;
  if (!user) return badRequest("the request has no user");
  const { group, name } = parseResource(resource);
  const { namespace } = info;
  const about = { apiGroup: group, resource: name, namespace, name: info.name };
  return denied({ ...noAttributes, ...about, user, verb: "get" }, "");
}

/** A revision, or a time. */
function parseAt(text: string): { readonly revision: number } | { readonly timeMs: number } {
  if (/^\d+$/.test(text)) return { revision: Number(text) };
  const timeMs = Date.parse(text);
  if (Number.isNaN(timeMs)) throw badRequest(`at: ${text} is neither a revision nor a time`);
  return { timeMs };
}

function before(versions: readonly Version[], version: Version): Version | undefined {
  const index = versions.indexOf(version);
  const found = index > 0 ? versions[index - 1] : undefined;
  return found?.of.uid === version.of.uid ? found : undefined;
}

function shown(version: Version, old: Version | undefined, withObject: boolean): object {
  const { of, revision, atMs, verb, subresource, user, manager, deleted } = version;
  const now = old || withObject ? content(version) : undefined;
  const was = old && content(old);
  return {
    revision: String(revision),
    time: formatMicroTime(atMs),
    verb,
    subresource,
    user,
    manager,
    uid: of.uid,
    deleted,
    ...(was && now ? { changed: changedPointers(was, now).map(fieldPath) } : {}),
    ...(withObject ? { object: now } : {}),
  };
}

/** The object without what differs in every version. */
function content(version: Version): object | undefined {
  const text = version.text();
  if (text === undefined) return undefined;
  const object = JSON.parse(text) as { metadata?: Record<string, unknown> };
  const { managedFields: _, resourceVersion: _version, ...metadata } = object.metadata ?? {};
  return { ...object, metadata };
}

/** ".spec.containers[0].image" of a JSON pointer. */
function fieldPath(pointer: string): string {
  return pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`))
    .join("");
}
