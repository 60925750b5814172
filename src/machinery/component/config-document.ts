/**
 * Upstream: staging/src/k8s.io/apimachinery/pkg/runtime/serializer/codec_factory.go (EnableStrict),
 * as component configurations are read.
 */
import { goQuote } from "#/std/go/go-quote.ts";
import { parseYaml } from "#/std/text/yaml.ts";

/** The allowed fields of a configuration; true for fields with content that is not checked. */
interface Shape {
  readonly [field: string]: true | Shape;
}

interface ConfigDocument {
  readonly kind: string;
  readonly apiVersions: readonly string[];
  /** The allowed fields; if undefined, all fields are allowed. */
  readonly shape?: Shape;
}

/**
 * Reads a configuration of a kind from YAML. Throws errors with the messages of upstream's decoder.
 */
export function readConfigDocument(text: string, document: ConfigDocument): object {
  const found = parseYaml(text);
  const value = isObject(found) ? found : {};
  const { kind, apiVersion } = value as { kind?: unknown; apiVersion?: unknown };
  if (!kind) throw new Error(`Object 'Kind' is missing in '${text}'`);
  if (!apiVersion) throw new Error(`Object 'apiVersion' is missing in '${text}'`);
  if (kind !== document.kind || !document.apiVersions.includes(String(apiVersion))) {
    throw new Error(
      `no kind ${goQuote(String(kind))} is registered for version ${goQuote(String(apiVersion))} in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  const { shape } = document;
  const unknown = shape ? unknownFields(value, { kind: true, apiVersion: true, ...shape }, "") : [];
  if (unknown.length > 0) {
    const problems = unknown.map((path) => `unknown field ${goQuote(path)}`);
    throw new Error(`strict decoding error: ${problems.join(", ")}`);
  }
  return value;
}

function unknownFields(value: unknown, shape: Shape, path: string): string[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => unknownFields(item, shape, `${path}[${index}]`));
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, held]) => {
    const field = path === "" ? name : `${path}.${name}`;
    const known = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (known === undefined) return [field];
    return known === true ? [] : unknownFields(held, known, field);
  });
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
