import type { Resource } from "#/api/base/resource.ts";
import { events } from "#/api/core/v1.ts";
import { resources } from "#/api/index.ts";
import { httpRoutes } from "#/gateway/api/gateway-resources.ts";
import { apiVersionOf } from "#/machinery/meta/api-version.ts";
import { type FieldSelector, parseFieldSelector } from "#/machinery/meta/fields.ts";
import { parseSelector } from "#/machinery/meta/label-parser.ts";
import type { Reader } from "#/why/read/reader.ts";

/** The resources of recordings: the built-in ones, and custom ones that a cause knows. */
export const recordedResources: readonly Resource[] = [...resources, httpRoutes];

/** An object as a recording has it. */
export interface RecordedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

interface Recording {
  readonly objects: readonly RecordedObject[];
  /** The ends of logs, by Pod and container: `web/app`, with `/previous` for the instance before. */
  readonly logs?: Readonly<Record<string, string>>;
  /** Ports of Pods on which nothing listens: `web:3000`. */
  readonly closed?: readonly string[];
  /** Ports of Pods on which a program listens for the Pod itself only. */
  readonly loopback?: readonly string[];
  /** Plural names of resources that the user may not list. */
  readonly forbidden?: readonly string[];
}

/** Serves objects as an API server does, as far as a diagnosis reads them. */
export const recordedReader = (recording: Recording): Reader => ({
  async connect(path) {
    const { pathname, searchParams } = new URL(path, "http://server");
    const port = `${pathname.split("/").at(-2)}:${searchParams.get("ports")}`;
    return recording.closed?.includes(port) ? "connect: connection refused" : "";
  },
  async reach(path) {
    const [, pod = "", port = ""] =
      /\/https:(.*):(\d+)\/proxy\/$/.exec(decodeURIComponent(path)) ?? [];
    const refuses = [...(recording.closed ?? []), ...(recording.loopback ?? [])];
    return refuses.includes(`${pod}:${port}`) ? "dial tcp: connect: connection refused" : "";
  },
  async read(path) {
    const url = new URL(path, "http://server");
    const parts = url.pathname.split("/").slice(1);
    const [group, version, ...rest] = parts[0] === "api" ? ["", ...parts.slice(1)] : parts.slice(1);
    const namespace = rest[0] === "namespaces" && rest.length > 2 ? rest[1] : undefined;
    const [plural, name, part] = namespace === undefined ? rest : rest.slice(2);
    if (part === "log") return logOf(recording, name ?? "", url.searchParams);
    const resource = recordedResources.find(
      (one) => one.group === group && one.version === version && one.name === plural,
    );
    if (name === undefined && recording.forbidden?.includes(plural ?? ""))
      return failure(403, `${plural} is forbidden`);
    if (!resource) return failure(404, "the server could not find the requested resource");
    const all = recording.objects.filter((one) => isOf(one, resource, namespace));
    if (name === undefined)
      return {
        status: 200,
        body: { metadata: {}, items: selected(all, url.searchParams, resource) },
      };
    const found = all.find(({ metadata }) => metadata.name === name);
    return found ? { status: 200, body: found } : failure(404, `${plural} "${name}" not found`);
  },
});

const failure = (status: number, message: string) => ({ status, body: { message } });

function logOf({ logs = {} }: Recording, pod: string, query: URLSearchParams) {
  const previous = query.get("previous") === "true" ? "/previous" : "";
  const log = logs[`${pod}/${query.get("container")}${previous}`];
  return log === undefined ? failure(400, "no log") : { status: 200, body: log };
}

const isOf = (object: RecordedObject, resource: Resource, namespace: string | undefined): boolean =>
  object.kind === resource.kind &&
  object.apiVersion === apiVersionOf(resource) &&
  (namespace === undefined || object.metadata.namespace === namespace);

function selected(all: readonly RecordedObject[], query: URLSearchParams, resource: Resource) {
  const labels = parseSelector(query.get("labelSelector") ?? "");
  const fields: FieldSelector = parseFieldSelector(query.get("fieldSelector") ?? "");
  return all.filter(
    (object) =>
      labels.matches(object.metadata.labels) &&
      (resource.name !== events.name || fields.matches((field) => fieldOf(object, field))),
  );
}

function fieldOf(object: unknown, path: string): string {
  let value: unknown = object;
  for (const name of path.split("."))
    value = (value as Record<string, unknown> | undefined)?.[name];
  return String(value ?? "");
}
