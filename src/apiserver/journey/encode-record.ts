import { resourceText, type Step } from "#/machinery/journey/step.ts";
import type { StatusError } from "#/machinery/meta/status-error.ts";
import { type Exchange, header } from "../model/exchange.ts";
import type { RequestInfo } from "../model/request-info.ts";
import type { ResourceName } from "../model/resource-name.ts";
import type { Commit, Trail } from "../model/trail.ts";
import { hashOf, hashOfName } from "./record-hash.ts";
import { parts, separator, textNames } from "./record-parts.ts";
import { type RecordSegment, recordTypes } from "./record-segment.ts";

/** Limits of a header, and of the message of a refusal, in a record (characters). */
const maxHeader = 200;
const maxMessage = 1024;
/** Limit of the names of an object that was refused (characters): a valid one has at most 253. */
const maxName = 300;
/** Limit of the groups of a user, and of the plugins of a request, in a record (count). */
const maxGroups = 20;
const maxPlugins = 100;

/** A finished request, or one of its commits. */
export interface FinishedWrite {
  readonly exchange: Exchange;
  readonly trail: Trail;
  /** When the request arrived (ms since 1970). */
  readonly arrivedMs: number;
  readonly commit: Commit | undefined;
  readonly error: StatusError | undefined;
}

/** Numbers of the texts of the record that is being written: one array for all, since a record is written at once. */
const numbers: number[] = [];
/** The places of the first texts, which RecordSegment.numberAt() remembers; those of textNames follow. */
const placesOf = { resource: 0, namespace: 1, owner: 2, texts: 3 };

/**
 * Writes the record of a write, and returns hashOfName() of its object; throws a SegmentFull. It runs in every write
 * request: nothing is made but the bytes.
 */
export function writeRequest(to: RecordSegment, finished: FinishedWrite): number {
  const { exchange, trail, commit, error, arrivedMs } = finished;
  const name = commit ? commit.stored.name : refusedName(exchange.info, trail);
  const namespaceText = (commit ? commit.metadata.namespace : exchange.info.namespace) ?? "";
  const resourceName = resourceText(commit?.resource ?? resourceOf(exchange.info));
  const resource = to.numberAt(placesOf.resource, resourceName);
  const namespace = to.numberAt(placesOf.namespace, namespaceText);
  const owner = commit?.verb === "create" ? ownerOf(commit) : undefined;
  const ownerNumber = to.numberAt(placesOf.owner, owner);
  collectTexts(to, finished);
  to.begin(recordTypes.write);
  to.u16(resource);
  to.u16(namespace);
  to.u16(ownerNumber);
  to.text(name);
  to.text(commit?.metadata.uid ?? "");
  to.f64(arrivedMs);
  const { queue } = trail;
  to.u8((commit ? parts.commit : 0) | (queue ? parts.queue : 0) | (error ? parts.error : 0));
  for (let index = 0; index < textNames.length; index++) to.u16(numbers[index] ?? 0);
  writeTimes(to, trail, commit);
  let next = textNames.length;
  if (commit) {
    to.f64(commit.stored.revision);
    to.u32(commit.stored.sizeBytes);
  }
  if (queue) {
    to.u16(numbers[next++] ?? 0);
    to.u16(numbers[next++] ?? 0);
    to.u32(trail.at(queue.fromMs));
    to.u32(trail.at(queue.toMs));
  }
  if (error) {
    to.u16(error.code);
    to.u16(numbers[next++] ?? 0);
    to.u16(numbers[next++] ?? 0);
  }
  writePlugins(to, trail, next);
  const nameHash = hashOfName(resourceName, namespaceText, name);
  to.finishIndexed(nameHash, hashOf(owner));
  return nameHash;
}

function writeTimes(to: RecordSegment, trail: Trail, commit: Commit | undefined): void {
  to.u32(trail.authenticatedMicros);
  to.u32(trail.authorizedMicros);
  to.u32(trail.decodedMicros);
  to.u32(trail.mutatedMicros);
  to.u32(trail.checkedMicros);
  to.u32(trail.validatedMicros);
  to.u32(commit?.fromMicros ?? 0);
  to.u32(commit?.durableMicros ?? 0);
  to.u32(commit?.seenMicros ?? 0);
}

/** Fills `numbers`, in the order of textNames, and then that of the optional parts. */
function collectTexts(to: RecordSegment, { exchange, trail, commit, error }: FinishedWrite): void {
  const { info, user, impersonator, annotations, query } = exchange;
  numbers.length = 0;
  collect(to, verbOf(commit, info));
  collect(to, subresourceOf(info, commit));
  collect(to, user?.name);
  collect(to, trail.isDetailed ? user?.groups.slice(0, maxGroups).join(separator) : "");
  collect(to, impersonator?.name);
  collect(to, trail.authenticator);
  collect(to, cut(annotations.get("authorization.k8s.io/reason"), maxMessage));
  collect(to, headerText(exchange, "user-agent"));
  collect(to, headerText(exchange, "kubectl-command"));
  collect(to, headerText(exchange, "traceparent"));
  collect(to, managerOf(query));
  const { queue, plugins = [] } = trail;
  if (queue) numbers.push(to.number(queue.level), to.number(queue.schema));
  if (error) {
    const { reason = "", message = "" } = error.status;
    numbers.push(to.number(reason), to.number(message.slice(0, maxMessage)));
  }
  for (let index = 0; index < Math.min(plugins.length, maxPlugins); index++) {
    const { name = "", phase = "", changed } = plugins[index] ?? {};
    const text = changed?.join(separator).slice(0, maxMessage);
    numbers.push(to.number(name), to.number(phase), to.number(text));
  }
}

/** Adds the number of the next text of textNames. */
function collect(to: RecordSegment, text: string | undefined): void {
  numbers.push(to.numberAt(placesOf.texts + numbers.length, text));
}

/** The field manager that a request names; most have no query at all. */
export const managerOf = (query: URLSearchParams): string | undefined =>
  query.size === 0 ? undefined : query.get("fieldManager")?.slice(0, maxHeader);

const headerText = (exchange: Exchange, name: string): string | undefined =>
  cut(header(exchange, name), maxHeader);

/** The text up to a length: itself, if it is short enough. */
const cut = (text: string | undefined, length: number): string | undefined =>
  text !== undefined && text.length > length ? text.slice(0, length) : text;

function writePlugins(to: RecordSegment, { plugins = [] }: Trail, first: number): void {
  const count = Math.min(plugins.length, maxPlugins);
  to.u8(count);
  for (let index = 0; index < count; index++) {
    const { ms = 0, failed = false } = plugins[index] ?? {};
    for (let part = 0; part < 3; part++) to.u16(numbers[first + index * 3 + part] ?? 0);
    to.u32(Math.round(ms * 1000));
    to.u8(failed ? 1 : 0);
  }
}

/** A request about one resource may write others, and delete what it was sent to update. */
function verbOf(commit: Commit | undefined, { verb, subresource }: RequestInfo): string {
  if (!commit) return verb;
  if (commit.verb === "remove") return "delete";
  if (commit.verb === "create") return "create";
  return verb === "create" && subresource === "" ? "update" : verb;
}

function subresourceOf(info: RequestInfo, commit: Commit | undefined): string {
  return commit && !isAbout(info, commit.resource) ? "" : info.subresource;
}

const isAbout = ({ apiGroup, resource }: RequestInfo, { group, name }: ResourceName) =>
  apiGroup === group && resource === name;

const resourceOf = ({ apiGroup: group, resource: name }: RequestInfo) => ({ group, name });

/** The name of the object that a refused request was about; empty if it is not known. */
export const refusedName = (info: RequestInfo, trail: Trail): string =>
  (info.name || trail.name).slice(0, maxName);

function ownerOf({ metadata: { ownerReferences } }: Commit): string | undefined {
  return ownerReferences?.find(({ controller }) => controller)?.uid;
}

/** Writes a step that a component reported. */
export function writeStep(to: RecordSegment, { of, by, ...rest }: Step): void {
  const { resource, namespace = "", name, uid = "" } = of;
  const numbers = [to.number(resource), to.number(namespace), 0];
  const reporter = to.number(by);
  to.begin(recordTypes.step);
  for (const number of numbers) to.u16(number);
  to.text(name);
  to.text(uid);
  to.u16(reporter);
  to.text(JSON.stringify(rest));
  to.finishIndexed(hashOfName(resource, namespace, name), 0);
}
