import type { Facts, FieldFacts } from "../../src/api/base/facts.ts";
import { asRawExtension, type FactsByFile, splitReference } from "./facts-by-file.ts";
import type { ProtoField } from "./parse-proto.ts";

/** A field as it must be in the .proto file: `optional string`, `map .k8s.io.api.core.v1.Taint`. */
type FieldText = string;

/**
 * Says where the messages of a .proto file are not what the facts of their package lead to expect: one line for each
 * difference. Messages without facts are those of types with a form of their own (Time, Quantity…).
 */
export function checkProtobuf(
  facts: FactsByFile,
  file: string,
  messages: ReadonlyMap<string, readonly ProtoField[]>,
): string[] {
  const own = facts.get(file);
  const strays = Object.entries(own?.structs ?? {})
    .filter(
      ([name, { fields }]) =>
        !messages.has(name) && Object.values(fields).some(({ number }) => number),
    )
    .map(([name]) => `${file}: ${name} has protobuf numbers, but there is no such message`);
  const differences = [...messages].flatMap(([name, fields]) => {
    const expected = own && expectedMessage(facts, file, own, name);
    return expected ? compare(`${file} message ${name}`, expected, actualMessage(fields, own)) : [];
  });
  return [...strays, ...differences];
}

function compare(
  where: string,
  expected: ReadonlyMap<number, FieldText>,
  actual: ReadonlyMap<number, FieldText>,
): string[] {
  const numbers = new Set([...expected.keys(), ...actual.keys()]);
  return [...numbers]
    .filter((number) => expected.get(number) !== actual.get(number))
    .map(
      (number) =>
        `${where}, field ${number}: ${actual.get(number)} in the .proto file, ${expected.get(number)} in Go`,
    );
}

function actualMessage(fields: readonly ProtoField[], own: Facts): Map<number, FieldText> {
  const qualified = (type: string): string =>
    /^[A-Z]/.test(type) ? `${protoPackage(own)}.${type}` : asRawExtension(type);
  return new Map(fields.map(({ number, label, type }) => [number, `${label} ${qualified(type)}`]));
}

function expectedMessage(
  facts: FactsByFile,
  file: string,
  { lists, structs }: Facts,
  name: string,
): Map<number, FieldText> | undefined {
  const items = lists[name];
  if (items) return new Map([[1, expectedField(facts, file, `[]${items}`)]]);
  const fields: readonly [string, FieldFacts][] = Object.entries(structs[name]?.fields ?? {});
  const numbered = fields.flatMap(([key, { number, type = key.slice("...".length) }]) =>
    number === undefined ? [] : [[number, expectedField(facts, file, type)] as const],
  );
  return structs[name] && new Map(numbered);
}

function expectedField(facts: FactsByFile, file: string, expression: string): FieldText {
  if (expression.startsWith("*")) return expectedField(facts, file, expression.slice(1));
  if (expression.startsWith("[]"))
    return `repeated ${expectedType(facts, file, expression.slice(2))}`;
  if (expression.startsWith("{}")) return `map ${expectedType(facts, file, expression.slice(2))}`;
  const [home, name] = splitReference(file, expression);
  const named = facts.get(home)?.named[name];
  return named
    ? expectedField(facts, home, named)
    : `optional ${expectedType(facts, file, expression)}`;
}

const MACHINERY = ".k8s.io.apimachinery.pkg";

const scalars: Readonly<Record<string, string>> = {
  string: "string",
  uid: "string",
  nodeName: "string",
  boolean: "bool",
  int32: "int32",
  int64: "int64",
  double: "double",
  bytes: "bytes",
  quantity: `${MACHINERY}.api.resource.Quantity`,
  intOrString: `${MACHINERY}.util.intstr.IntOrString`,
  rawExtension: `${MACHINERY}.runtime.RawExtension`,
  time: `${MACHINERY}.apis.meta.v1.Time`,
  microTime: `${MACHINERY}.apis.meta.v1.MicroTime`,
  duration: `${MACHINERY}.apis.meta.v1.Duration`,
  fieldsV1: `${MACHINERY}.apis.meta.v1.FieldsV1`,
};

function expectedType(facts: FactsByFile, file: string, expression: string): string {
  const scalar = scalars[expression];
  if (scalar) return scalar;
  const [home, name] = splitReference(file, expression);
  const owner = facts.get(home);
  if (!owner) throw new Error(`${file} refers to ${expression}, which is not there`);
  if (owner.enums[name]) return "string";
  const named = owner.named[name];
  if (named) return expectedType(facts, home, named);
  const special = /^json/.test(name) ? name.replace("json", "JSON") : name;
  return `${protoPackage(owner)}.${special}`;
}

/** io.k8s.api.core.v1 is .k8s.io.api.core.v1 in protobuf, with underscores for dashes. */
function protoPackage({ package: openApiPackage }: Facts): string {
  return openApiPackage.replace(/^io\.k8s/, ".k8s.io").replaceAll("-", "_");
}
