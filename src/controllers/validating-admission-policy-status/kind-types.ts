/** Upstream: apiserver/pkg/cel/openapi/resolver. */
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

/** The types that expressions see the objects of kinds as. */
export class KindTypes {
  readonly #client: Client;
  /** How many have been declared: the types of objects and of parameters differ, even if both are of one kind. */
  #count = 0;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Undefined where no schema of the kind is known. */
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
      // A server that can't say what a kind is must not keep the others from being checked.
      if (isStatusError(error)) return {};
      throw error;
    }
  }
}
