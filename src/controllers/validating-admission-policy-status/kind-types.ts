/** Upstream: staging/src/k8s.io/apiserver/pkg/cel/openapi/resolver. */
import type { Client } from "#/client/client.ts";
import type { KindName } from "#/machinery/cel/admission/check-policy-types.ts";
import { declareKind } from "#/machinery/cel/schema/api-schema.ts";
import { type DeclType, declareSchema } from "#/machinery/cel/schema/decl-type.ts";
import {
  findPublishedSchema,
  type PublishedSchemas,
} from "#/machinery/cel/schema/published-schema.ts";
import { isStatusError } from "#/machinery/meta/status-error.ts";
import { findSchema } from "#/machinery/schema/kinds.ts";

/** The CEL types of kinds. */
export class KindTypes {
  readonly #client: Client;
  /** Number of declared types: those of objects and parameters differ, even for one kind. */
  #count = 0;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Undefined if the schema of the kind is unknown. */
  async find(name: KindName): Promise<{ readonly type: DeclType | undefined } | undefined> {
    const typeName = `${name.kind}${++this.#count}`;
    const builtIn = findSchema(name.group, name.version, name.kind);
    if (builtIn) return { type: declareKind(builtIn, typeName) };
    const schema = findPublishedSchema(await this.#published(name), name);
    return schema && { type: declareSchema(schema, { typeName, isRoot: true }) };
  }

  async #published({ group, version }: KindName): Promise<PublishedSchemas> {
    const path = group === "" ? `api/${version}` : `apis/${group}/${version}`;
    try {
      return await this.#client.request({ method: "GET", path: `/openapi/v3/${path}` });
    } catch (error) {
      // A kind whose schema can't be read must not prevent the check of others.
      if (isStatusError(error)) return {};
      throw error;
    }
  }
}
