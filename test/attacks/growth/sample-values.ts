import type { Field, Schema, StructSchema } from "#/api/base/schema.ts";

/** Elements of a list or map: all different, all the same, or different and mostly refused. */
export type Variant = "distinct" | "equal" | "invalid";

/** The n-th value, for a field of a name. */
export interface Draw {
  readonly index: number;
  readonly variant: Variant;
}

/** Valid values of strings by their field's name; others are names. */
const strings: readonly [RegExp, (index: number) => string][] = [
  [/^(ip|ips|hostIP|podIP|clusterIPs?|externalIPs|addresses|address|hostIPs|podIPs)$/, address],
  [/cidr|CIDR|loadBalancerSourceRanges/, (index) => `10.${index >> 8}.${index & 255}.0/24`],
  [/^(mountPath|devicePath|hostPath|pathPrefix|nonResourceURLs)$/, (index) => `/p${index}`],
  [/^(apiVersion|apiVersions)$/, () => "v1"],
  [/^kind$/, () => "Kind"],
  [/^operator$/, () => "Exists"],
  [/^fieldsType$/, () => "FieldsV1"],
  [/^operation$/, () => "Update"],
  [/^finalizers$/, (index) => `example.com/f${index}`],
  [/^signerName$/, (index) => `example.com/s${index}`],
  [/^(url|server)$/, (index) => `https://a${index}.example.com`],
  [/^(expression|valueExpression|rule|messageExpression)$/, (index) => `${index} < 0`],
  [/^jsonPath$/, (index) => `.a${index}`],
  [/^conditionType$/, (index) => `example.com/t${index}`],
  [/^verbs$/, (index) => `get${index}`],
];

function address(index: number): string {
  return `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;
}

/** A value of a schema, with nothing but what is required. */
export function sampleValue(schema: Schema, name: string, draw: Draw): unknown {
  const index = draw.variant === "equal" ? 0 : draw.index;
  switch (schema.type) {
    case "string":
      return sampleString(schema.enum, name, { ...draw, index });
    case "integer":
      return name.toLowerCase().endsWith("port") ? 1 + (index % 65_535) : index + 1;
    case "number":
      return index + 1;
    case "boolean":
      return true;
    case "bytes":
      return Buffer.from(`v${index}`).toString("base64");
    case "list":
      return [sampleValue(schema.items, name, draw)];
    case "map":
      return { [sampleKey(schema.values, 0)]: sampleValue(schema.values, name, draw) };
    case "struct":
      return sampleStruct(schema, draw, requiredFields(schema));
    default:
      return sampleSpecial(schema.type, index);
  }
}

function sampleString(
  allowed: readonly string[] | undefined,
  name: string,
  { index, variant }: Draw,
): string {
  if (variant === "invalid") return `_${index}!`;
  const known = strings.find(([pattern]) => pattern.test(name))?.[1](index);
  return known ?? allowed?.[index % allowed.length] ?? `n${index}`;
}

function sampleSpecial(type: string, index: number): unknown {
  switch (type) {
    case "quantity":
      return `${index + 1}`;
    case "intOrString":
      return 1 + (index % 65_535);
    case "time":
      return "2026-01-01T00:00:00Z";
    case "microTime":
      return "2026-01-01T00:00:00.000000Z";
    case "duration":
      return "1m0s";
    case "fieldsV1":
      return { "f:data": { [`f:k${index}`]: {} } };
    case "jsonSchemaPropsOrBool":
      return true;
    case "jsonSchemaPropsOrStringArray":
      return ["a"];
    case "jsonSchemaPropsOrArray":
      return { type: "string" };
    case "json":
      return index;
    default:
      return { a: index };
  }
}

/** The n-th key of a map. Resource names have a domain. */
export function sampleKey(values: Schema, index: number): string {
  return values.type === "quantity" ? `example.com/k${index}` : `k${index}`;
}

/** An element of a list: the required fields, and those in which it differs from others. */
export function sampleElement(list: Schema, field: Field, draw: Draw): unknown {
  if (list.type !== "struct") return sampleValue(list, field.name, draw);
  const keys = field.schema.type === "list" ? (field.schema.keys ?? []) : [];
  const wanted = new Set([...requiredFields(list), ...keys, field.patchMergeKey ?? ""]);
  if (list.name?.endsWith("JSONSchemaProps")) wanted.add("type");
  if (list.fields.has("image")) wanted.add("image");
  if (![...wanted].some((name) => varies(list.fields.get(name)?.schema))) {
    for (const { name, schema } of list.fields.values()) if (varies(schema)) wanted.add(name);
  }
  return sampleStruct(list, draw, [...wanted]);
}

const varies = (schema: Schema | undefined): boolean =>
  schema?.type === "string" || schema?.type === "integer";

function requiredFields(schema: StructSchema): string[] {
  return [...schema.fields.values()].filter(({ required }) => required).map(({ name }) => name);
}

function sampleStruct(
  schema: StructSchema,
  draw: Draw,
  names: readonly string[],
): Record<string, unknown> {
  const fields = names.flatMap((name) => schema.fields.get(name) ?? []);
  return Object.fromEntries(
    fields.map((field) => [
      field.name,
      schema.name?.endsWith("JSONSchemaProps") && field.name === "type"
        ? "string"
        : sampleValue(field.schema, field.name, draw),
    ]),
  );
}
