import type { Resource } from "#/api/base/resource.ts";
import { events, pods } from "#/api/core/v1.ts";
import { type ObjectRef, resourcePath } from "#/client/resource-path.ts";
import type { AnyObject } from "../base/any-object.ts";
import type { Selection } from "../base/view.ts";

/** Objects of one page of a list (count): the server's other clients do not wait for a large one. */
const listLimit = 500;
/** Limit of the events of one object (count): reasons repeat in one event. */
const eventLimit = 100;
/** Limits of the end of a log (lines, bytes): enough for a message and its stack. */
const logLines = 20;
const logBytes = 8192;

export const objectPath = (resource: Resource, ref: ObjectRef): string =>
  resourcePath(resource, ref);

export function listPath(
  resource: Resource,
  { namespace, labelSelector, fieldSelector }: Selection = {},
): string {
  const query = queryOf({ labelSelector, fieldSelector, limit: listLimit });
  return `${resourcePath(resource, { namespace })}?${query}`;
}

/** The path of the events about an object; those of cluster-scoped objects are in "default". */
export function eventsPath({ kind }: Resource, { metadata }: AnyObject): string {
  const { name = "", namespace = "default" } = metadata;
  const fieldSelector = `involvedObject.kind=${kind},involvedObject.name=${name}`;
  return `${resourcePath(events, { namespace })}?${queryOf({ fieldSelector, limit: eventLimit })}`;
}

export function logPath({ metadata }: AnyObject, container: string, previous: boolean): string {
  const { name = "", namespace = "" } = metadata;
  const query = queryOf({
    container,
    previous: previous || undefined,
    tailLines: logLines,
    limitBytes: logBytes,
  });
  return `${resourcePath(pods, { name, namespace }, "log")}?${query}`;
}

export function portPath({ metadata }: AnyObject, port: number): string {
  const { name = "", namespace = "" } = metadata;
  return `${resourcePath(pods, { name, namespace }, "portforward")}?${queryOf({ ports: port })}`;
}

/** As TLS: of a program that expects something else, it only begins a handshake. */
export function reachPath({ metadata }: AnyObject, port: number): string {
  const { name = "", namespace = "" } = metadata;
  return `${resourcePath(pods, { name: `https:${name}:${port}`, namespace }, "proxy")}/`;
}

/** The path of a group and version in discovery. */
export const groupPath = (groupVersion: string): string =>
  groupVersion.includes("/") ? `/apis/${groupVersion}` : `/api/${groupVersion}`;

function queryOf(values: Readonly<Record<string, string | number | boolean | undefined>>): string {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined && value !== "")
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join("&");
}
