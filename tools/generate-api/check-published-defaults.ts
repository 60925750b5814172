import { isDeepStrictEqual } from "node:util";
import { findDefinitionByName } from "../../src/machinery/schema/definitions.ts";
import { publishedDefault } from "../../src/machinery/schema/published-default.ts";
import { readGeneratedOpenApi } from "./read-generated-open-api.ts";
import type { UpstreamFolders } from "./upstream.ts";

/** The fields whose default, as we publish it, is not that of upstream's OpenAPI. */
export function checkPublishedDefaults(upstream: UpstreamFolders): string[] {
  const wrong: string[] = [];
  for (const [name, { properties = {} }] of readGeneratedOpenApi(upstream)) {
    const schema = findDefinitionByName(name);
    for (const [key, { default: expected }] of Object.entries(properties)) {
      const field = schema?.type === "struct" ? schema.fields.get(key) : undefined;
      const isConstant =
        typeof expected === "object" && expected !== null && "constant" in expected;
      if (field && !isConstant && !isDeepStrictEqual(publishedDefault(field), expected))
        wrong.push(`${name}.${key}`);
    }
  }
  return wrong;
}
