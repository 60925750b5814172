import type { StructSchema } from "#/api/base/schema.ts";
import { goFormOf } from "../json/go-form.ts";
import { writeYaml } from "./yaml-writer.ts";

/**
 * Writes an object of a kind as YAML, with a newline at the end.
 *
 * Upstream: vendor/sigs.k8s.io/yaml/yaml.go.
 */
export function encodeYaml(value: unknown, schema: StructSchema): Buffer {
  const form = schema.unstructured ? value : goFormOf(schema)?.(value, { indexKeys: false });
  return Buffer.from(writeYaml(form), "utf8");
}
