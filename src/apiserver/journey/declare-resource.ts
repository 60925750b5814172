import type { Resource } from "#/api/base/resource.ts";
import type { StructSchema } from "#/api/base/schema.ts";
import type { Reply } from "../model/exchange.ts";
import type { Registry } from "../registry/registry.ts";
import type { ResourceRequest } from "../registry/resource-request.ts";
import type { ActionStrategy, Declaration } from "../registry/strategy.ts";

/** Any object: the values are made by the server, and described by machinery/journey. */
const anyObject: StructSchema = {
  type: "struct",
  unstructured: true,
  fields: new Map(),
  mapType: "granular",
  preserveUnknown: true,
};

/** Answers a request for a resource that is not stored. */
type Answer = (request: ResourceRequest) => Promise<Reply> | Reply;

/** Serves a resource of our own group, which is answered from memory. */
export async function serveVirtual(
  registry: Registry,
  handle: Resource,
  answers: Readonly<Record<string, Answer>>,
): Promise<void> {
  const verbs: ActionStrategy = Object.fromEntries(
    Object.entries(answers).map(([verb, answer]) => [
      verb,
      async (request) => ({ type: "raw", reply: await answer(request) }),
    ]),
  );
  const declaration: Declaration = {
    isRouted: false,
    patchTypes: [],
    abbreviatesKind: false,
    checksScale: false,
    handle,
    versions: [{ handle, openApi: { listKind: `${handle.kind}List` } }],
    verbs,
  };
  await registry.add(declaration, () => anyObject);
}
