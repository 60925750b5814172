/** Upstream: staging/src/k8s.io/cli-runtime/pkg/resource/query_param_verifier{,_v3}.go. */
import { customResourceDefinitions } from "#/api/apiextensions/v1.ts";
import type { Client } from "#/client/client.ts";
import { CredentialError } from "#/client/kubeconfig/credential-error.ts";
import { CommandError, messageOf } from "../base/errors.ts";
import type { GroupVersionKind } from "../base/unstructured.ts";
import type { OpenApiDocuments } from "../discovery/open-api-documents.ts";
import {
  isSameKind,
  type OpenApiDocument,
  type OpenApiKind,
  type OpenApiOperation,
  type OpenApiParameter,
  type OpenApiPath,
  type OpenApiV2Document,
} from "../discovery/open-api-schema.ts";

const parameterName = "fieldValidation";
const namespaceKind: OpenApiKind = { group: "", version: "v1", kind: "Namespace" };

/** The kinds that a document has a PATCH for, with whether it supports field validation. */
type CheckedKinds = readonly (readonly [kind: OpenApiKind, isChecked: boolean])[];

/** Whether a server itself validates the fields of objects of a kind. */
export class FieldValidationSupport {
  readonly #documents: OpenApiDocuments;
  readonly #client: Client;
  readonly #server: string;
  readonly #known = new Map<string, Promise<boolean>>();
  #customKinds: Promise<ReadonlySet<string>> | undefined;

  /** The server's URL is for messages. */
  constructor(documents: OpenApiDocuments, client: Client, server = "") {
    this.#documents = documents;
    this.#client = client;
    this.#server = server;
  }

  isSupported(kind: GroupVersionKind): Promise<boolean> {
    const key = JSON.stringify(kind);
    const known = this.#known.get(key) ?? this.#ask(kind);
    this.#known.set(key, known);
    return known;
  }

  async #ask(kind: GroupVersionKind): Promise<boolean> {
    if (kind.group === "" && kind.version === "v1" && kind.kind === "List") return false;
    let kinds: CheckedKinds | undefined;
    try {
      kinds = await this.#kindsOf(kind);
    } catch {
      // A server without version 3 has version 2.
      return this.#askV2(kind);
    }
    if (kinds) return findKind(kinds, kind) ?? this.#askV2(kind);
    const isCustom = await this.#isCustom(kind).catch(() => false);
    return (
      isCustom && (findKind((await this.#kindsOf(namespaceKind)) ?? [], namespaceKind) ?? false)
    );
  }

  #kindsOf({ group, version }: GroupVersionKind): Promise<CheckedKinds | undefined> {
    const path = group === "" ? `api/${version}` : `apis/${group}/${version}`;
    return this.#documents.derive(path, "checked", checkedKinds);
  }

  async #askV2(kind: GroupVersionKind): Promise<boolean> {
    let document: OpenApiV2Document;
    try {
      document = await this.#documents.v2();
    } catch (error) {
      throw new CommandError(`failed to download openapi: ${timedMessage(error, this.#server)}`, {
        cause: error,
      });
    }
    const kinds = checkedKindsIn(document.paths, document.parameters ?? {}, "#/parameters/");
    const isChecked = findKind(kinds, kind);
    if (isChecked !== undefined) return isChecked;
    if (!findKind(kinds, namespaceKind)) return false;
    try {
      return await this.#isCustom(kind);
    } catch (error) {
      throw new CommandError(`failed to check CRD: failed to list CRDs: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }

  async #isCustom({ group, kind }: GroupVersionKind): Promise<boolean> {
    this.#customKinds ??= this.#client
      .listAll(customResourceDefinitions)
      .then((all) => new Set(all.map(({ spec }) => `${spec.group}/${spec.names.kind}`)));
    return (await this.#customKinds).has(`${group}/${kind}`);
  }
}

function checkedKinds({ paths, components }: OpenApiDocument): CheckedKinds {
  return checkedKindsIn(paths, components?.parameters ?? {}, "#/parameters/");
}

function checkedKindsIn(
  paths: Readonly<Record<string, OpenApiPath>> = {},
  shared: Readonly<Record<string, OpenApiParameter>>,
  prefix: string,
): CheckedKinds {
  const isChecking = ({ $ref = "", name, in: place }: OpenApiParameter): boolean => {
    const found = $ref.startsWith(prefix) ? shared[$ref.slice(prefix.length)] : { name, in: place };
    return found?.name === parameterName && found.in === "query";
  };
  const kinds = new Map<string, readonly [OpenApiKind, boolean]>();
  for (const operation of Object.values(paths).map(({ patch }) => patch)) {
    const kind = kindOfOperation(operation);
    if (!kind || kinds.has(JSON.stringify(kind))) continue;
    const isChecked = operation?.parameters?.some(isChecking) ?? false;
    kinds.set(JSON.stringify(kind), [kind, isChecked]);
  }
  return [...kinds.values()];
}

function kindOfOperation(operation: OpenApiOperation | undefined): OpenApiKind | undefined {
  return operation?.["x-kubernetes-group-version-kind"];
}

function findKind(kinds: CheckedKinds, wanted: GroupVersionKind): boolean | undefined {
  return kinds.find(([kind]) => isSameKind(kind, wanted))?.[1];
}

/** A failure with the URL that upstream requests. */
function timedMessage(error: unknown, server: string): string {
  if (error instanceof CredentialError) {
    return `Get "${server}/openapi/v2?timeout=32s": ${error.message}`;
  }
  return messageOf(error).replace(/(\/openapi\/v2)"/, '$1?timeout=32s"');
}
