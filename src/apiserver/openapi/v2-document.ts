import { kubernetesMinor } from "#/api/base/kubernetes-version.ts";
import type { Steps } from "#/std/base/steps.ts";
import type { Json } from "./open-api.ts";

/** Parts of an OpenAPI v2 document: JSON texts by path and by name. */
export interface V2Parts {
  readonly paths: ReadonlyMap<string, string>;
  readonly definitions: ReadonlyMap<string, string>;
}

/** The document of OpenAPI v2. It is several megabytes, so it is encoded in steps, of an entry each. */
export interface V2Document extends V2Parts {
  /** Fields before the paths. */
  readonly head: Json;
  /** Fields after the definitions. */
  readonly tail: Json;
}

const head: Json = { swagger: "2.0", info: { title: "Kubernetes", version: kubernetesMinor } };
const tail: Json = {
  securityDefinitions: {
    BearerToken: {
      description: "Bearer Token authentication",
      type: "apiKey",
      name: "authorization",
      in: "header",
    },
  },
  security: [{ BearerToken: [] }],
};

/** One document of many parts; the later part wins a conflict. */
export function joinV2(all: readonly V2Parts[]): V2Document {
  return {
    head,
    paths: joined(all.map(({ paths }) => paths)),
    definitions: joined(all.map(({ definitions }) => definitions)),
    tail,
  };
}

function joined(parts: readonly ReadonlyMap<string, string>[]): ReadonlyMap<string, string> {
  const all = new Map(parts.flatMap((part) => [...part]));
  return new Map([...all].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The document as JSON. */
export function* encodeV2Json(document: V2Document): Steps<Uint8Array> {
  const { head, paths, definitions, tail } = document;
  const chunks = [Buffer.from(`${JSON.stringify(head).slice(0, -1)},"paths":{`)];
  yield* addEntries(chunks, paths);
  chunks.push(Buffer.from('},"definitions":{'));
  yield* addEntries(chunks, definitions);
  chunks.push(Buffer.from(`},${JSON.stringify(tail).slice(1)}`));
  return Buffer.concat(chunks);
}

function* addEntries(chunks: Buffer[], entries: ReadonlyMap<string, string>): Steps<void> {
  let separator = "";
  for (const [name, json] of entries) {
    chunks.push(Buffer.from(`${separator}${JSON.stringify(name)}:${json}`));
    separator = ",";
    yield;
  }
}
