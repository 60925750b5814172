import type { Resource } from "#/api/base/resource.ts";
import type { TestApiServer } from "#/testing/start-api-server.ts";
import { gadgets } from "./custom-resource.ts";
import { elementsOf, objectWith, type Place } from "./places.ts";

/** A request whose cost is measured. */
export interface GrowthRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH";
  readonly url: string;
  readonly type?: string;
  readonly body?: unknown;
}

/** A request of a size: first the store is prepared, then the request is measured. */
export interface Probe {
  readonly name: string;
  readonly resource: Resource;
  /** The object in the store, valid or not. */
  stored?(count: number): Record<string, unknown>;
  request(count: number): GrowthRequest;
}

const merge = "application/merge-patch+json";
const strategic = "application/strategic-merge-patch+json";
const jsonPatch = "application/json-patch+json";
const apply = "application/apply-patch+yaml";

/** Limit of the operations of one JSON patch: the server's own. */
const maxOperations = 10_000;

/** Every way to write a place. */
export function probesOf(place: Place): Probe[] {
  const { resource } = place;
  const writes = resource.verbs.includes("update");
  const creates: Probe[] = (["distinct", "equal", "invalid"] as const).map((variant) => ({
    name: `create ${variant}`,
    resource,
    request: (count) => ({
      method: "POST",
      url: collectionUrl(resource),
      body: objectWith(place, elementsOf(place, count, variant)),
    }),
  }));
  return writes ? [...creates, ...changesOf(place)] : creates;
}

function changesOf(place: Place): Probe[] {
  const { resource, field } = place;
  const distinct = (count: number): unknown => elementsOf(place, count, "distinct");
  const whole = (count: number) => objectWith(place, distinct(count));
  const reversed = (count: number) => objectWith(place, backwards(distinct(count)));
  const url = objectUrl(place);
  const patch = (name: string, type: string, body: (count: number) => unknown): Probe => ({
    name,
    resource,
    stored: whole,
    request: (count) => ({ method: "PATCH", url, type, body: body(count) }),
  });
  const pointer = `/${place.path.map(({ key }) => `${key}`.replaceAll("/", "~1")).join("/")}`;
  const probes: Probe[] = [
    {
      name: "update",
      resource,
      stored: whole,
      request: (count) => ({ method: "PUT", url, body: reversed(count) }),
    },
    patch("merge patch", merge, reversed),
    ...(resource === gadgets ? [] : [patch("strategic patch", strategic, reversed)]),
    patch("JSON patch, whole", jsonPatch, (count) => [
      { op: "test", path: pointer, value: distinct(count) },
      { op: "replace", path: pointer, value: backwards(distinct(count)) },
    ]),
    patch("JSON patch, each", jsonPatch, (count) => eachOperation(place, pointer, count)),
    patch("apply", `${apply}#force`, whole),
    {
      name: "apply new",
      resource,
      request: (count) => ({ method: "PATCH", url, type: `${apply}#force`, body: whole(count) }),
    },
  ];
  if (field.patchStrategy?.includes("merge")) probes.push(...directives(place, patch));
  return probes;
}

type MakePatch = (name: string, type: string, body: (count: number) => unknown) => Probe;

/** The directives of strategic merge patches on a list with merge strategy. */
function directives(place: Place, patch: MakePatch): Probe[] {
  const { field } = place;
  const key = field.patchMergeKey ?? "";
  const list = (count: number) => elementsOf(place, count, "distinct") as unknown[];
  const identity = (item: unknown): unknown =>
    key === "" ? item : { [key]: (item as Record<string, unknown>)[key] };
  const beside = (name: string, value: unknown, also?: unknown): unknown => {
    const last = place.path.at(-1);
    const path = [...place.path.slice(0, -1), { key: name, schema: last?.schema ?? field.schema }];
    const object = objectWith({ ...place, path }, value);
    return also === undefined ? object : deepAdd(object, objectWith(place, also));
  };
  const probes = [
    patch("strategic patch, order", strategic, (count) =>
      beside(`$setElementOrder/${field.name}`, list(count).reverse().map(identity)),
    ),
    patch("strategic patch, order and items", strategic, (count) => {
      const items = list(count).reverse();
      return beside(`$setElementOrder/${field.name}`, items.map(identity), items);
    }),
  ];
  if (key === "") {
    probes.push(
      patch("strategic patch, delete", strategic, (count) =>
        beside(`$deleteFromPrimitiveList/${field.name}`, list(count).reverse()),
      ),
    );
  } else {
    probes.push(
      patch("strategic patch, delete", strategic, (count) => {
        const deleted = list(count).reverse() as Record<string, unknown>[];
        return objectWith(
          place,
          deleted.map((item) => ({ [key]: item[key], $patch: "delete" })),
        );
      }),
    );
  }
  return probes;
}

/** Adds the fields of one object to the other, at any depth; lists by their first elements. */
function deepAdd(into: unknown, from: unknown): unknown {
  if (typeof into !== "object" || into === null || typeof from !== "object" || from === null) {
    return from;
  }
  for (const [key, value] of Object.entries(from)) {
    const target = into as Record<string, unknown>;
    target[key] = Object.hasOwn(target, key) ? deepAdd(target[key], value) : value;
  }
  return into;
}

function eachOperation({ field }: Place, pointer: string, count: number): unknown[] {
  const operations = Array.from({ length: Math.min(count, maxOperations) }, (_, index) => {
    if (field.schema.type === "map") return { op: "remove", path: `${pointer}/k${index}` };
    if (index % 2 === 1) return { op: "remove", path: `${pointer}/0` };
    return { op: "move", from: `${pointer}/0`, path: `${pointer}/1` };
  });
  return operations;
}

function backwards(value: unknown): unknown {
  if (Array.isArray(value)) return value.toReversed();
  return Object.fromEntries(Object.entries(value as object).reverse());
}

function collectionPath({ group, version, name, namespaced }: Resource): string {
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  return `${root}${namespaced ? "/namespaces/default" : ""}/${name}`;
}

const collectionUrl = (resource: Resource): string =>
  `${collectionPath(resource)}?dryRun=All&fieldManager=probe`;

/** The object's own path, or that of its status. */
function objectUrl(place: Place): string {
  const { resource, path } = place;
  const { metadata } = objectWith(place, []) as { metadata: { name: string } };
  const status = resource.subresources.some(({ name }) => name === "status");
  const suffix = status && path[0]?.key === "status" ? "/status" : "";
  return `${collectionPath(resource)}/${metadata.name}${suffix}?dryRun=All&fieldManager=probe`;
}

/** The cost and the answer of a request. */
export interface Sent {
  readonly cpuMs: number;
  readonly status: number;
  readonly sentBytes: number;
  readonly answerBytes: number;
}

/** Sends a request and returns the CPU time of this thread (ms), the status and the sizes. */
export async function send(
  api: TestApiServer,
  { method, url, type, body }: GrowthRequest,
): Promise<Sent> {
  const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  const [contentType = "application/json", flag] = (type ?? "application/json").split("#");
  const target = flag === undefined ? url : `${url}&${flag}=true`;
  const before = process.threadCpuUsage();
  const { status, text, headers } = await api.call(method, target, bytes, {
    headers: { "content-type": contentType },
  });
  const { user, system } = process.threadCpuUsage(before);
  const warnings = JSON.stringify(headers).length;
  return {
    cpuMs: (user + system) / 1000,
    status,
    sentBytes: bytes?.length ?? url.length,
    answerBytes: text.length + warnings,
  };
}

/** Puts an object into the store as it is: it need not be valid. */
export async function put(
  api: TestApiServer,
  resource: Resource,
  object: Record<string, unknown>,
): Promise<void> {
  const { registry } = api;
  const { name, namespace } = object.metadata as { name: string; namespace?: string };
  const store = registry.store(resource);
  const key = store.prefix + store.itemKey(namespace ?? "", name);
  const value = Buffer.from(JSON.stringify(object));
  await registry.storage.put(key, value, { expect: "any" });
}

/** Removes it again. */
export async function remove(
  api: TestApiServer,
  resource: Resource,
  object: Record<string, unknown>,
): Promise<void> {
  const { name, namespace } = object.metadata as { name: string; namespace?: string };
  const store = api.registry.store(resource);
  const key = store.prefix + store.itemKey(namespace ?? "", name);
  await api.registry.storage.delete(key, { expect: "any" });
}
