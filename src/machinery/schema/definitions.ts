import type { Facts, FieldFacts } from "#/api/base/facts.ts";
import { loadFacts } from "#/api/base/load-facts.ts";
import type { Field, Schema, StructSchema } from "#/api/base/schema.ts";
import { groupVersions } from "#/api/group-versions.ts";
import { linkType } from "./link-type.ts";

/**
 * The linked schema of a definition, by file and name (`apps/v1`, `DeploymentSpec`); undefined if
 * there is none. A definition and its references are linked on first use; after that the same
 * instance is returned.
 */
export function findDefinition(file: string, name: string): Schema | undefined {
  const linked = linkedDefinitions(file);
  return linked.get(name) ?? link(file, name, linked);
}

/**
 * The schema of a definition by its OpenAPI name, as in `io.k8s.api.core.v1.PodSpec`; undefined if
 * there is none.
 */
export function findDefinitionByName(openApiName: string): Schema | undefined {
  const dot = openApiName.lastIndexOf(".");
  const file = filesByPackage.get(openApiName.slice(0, dot));
  return file === undefined ? undefined : findDefinition(file, openApiName.slice(dot + 1));
}

const filesByPackage: ReadonlyMap<string, string> = new Map(
  groupVersions.map((item) => [item.package, item.file]),
);

/** The linked definitions of each file. Not a memo, as definitions refer to each other. */
const linkedByFile = new Map<string, Map<string, Schema>>();

function linkedDefinitions(file: string): Map<string, Schema> {
  const known = linkedByFile.get(file);
  if (known) return known;
  const created = new Map<string, Schema>();
  linkedByFile.set(file, created);
  return created;
}

function link(file: string, name: string, linked: Map<string, Schema>): Schema | undefined {
  const facts = loadFacts(file);
  if (own(facts.structs, name)) return linkStruct(file, facts, name, linked);
  const alias = own(facts.aliases, name);
  const schema = alias ? getReferred(file, alias) : linkNamed(file, facts, name);
  return schema && keep(linked, name, schema);
}

function linkStruct(
  file: string,
  facts: Facts,
  name: string,
  linked: Map<string, Schema>,
): StructSchema {
  const fields = new Map<string, Field>();
  const map = own(facts.structs, name)?.map;
  const schema: StructSchema = {
    type: "struct",
    name: `${facts.package}.${name}`,
    fields,
    mapType: map ?? "granular",
    ...(map && { declared: true }),
  };
  // Stored before its fields are linked, so that a struct may be recursive.
  keep(linked, name, schema);
  for (const field of linkFields(file, facts, name)) fields.set(field.name, field);
  return schema;
}

/** Links a type that is not a struct: an enumeration, a list that is a message, or an alias. */
function linkNamed(file: string, facts: Facts, name: string): Schema | undefined {
  const goName = `${facts.version}.${name}`;
  const values = own(facts.enums, name);
  if (values) return { type: "string", enum: values, goName };
  const items = own(facts.lists, name);
  const named = items === undefined ? own(facts.named, name) : `[]${items}`;
  if (named === undefined) return undefined;
  const schema = linkType(named, { facts: {}, definition: (other) => getReferred(file, other) });
  if (schema.type === "list" && items !== undefined) return { ...schema, wrapped: true, goName };
  return schema.type === "struct" || schema.type === "any" ? schema : { ...schema, goName };
}

function keep<S extends Schema>(linked: Map<string, Schema>, name: string, schema: S): S {
  linked.set(name, schema);
  return schema;
}

/** The fields of a struct in Go's order; the fields of an embedded struct are at its position. */
function linkFields(file: string, facts: Facts, name: string): Field[] {
  return Object.entries(own(facts.structs, name)?.fields ?? {}).flatMap(([key, field]) => {
    if (key.startsWith("...")) return linkEmbedded(file, key.slice(3), field.number);
    return [linkField(file, key, field)];
  });
}

function linkEmbedded(file: string, reference: string, number: number | undefined): Field[] {
  const [otherFile, name] = splitReference(file, reference);
  const fields = linkFields(otherFile, loadFacts(otherFile), name).map((field) => ({
    ...field,
    embeddedIn: [name, ...(field.embeddedIn ?? [])],
  }));
  if (number === undefined) return fields.map(({ number: _, ...field }) => field);
  return fields.map((field) => ({ ...field, within: [number, ...(field.within ?? [])] }));
}

function linkField(file: string, name: string, facts: FieldFacts): Field {
  const {
    type = "any",
    required = false,
    omit = "empty",
    patchStrategy,
    patchMergeKey,
    number,
  } = facts;
  return {
    name,
    schema: linkType(type, { facts, definition: (other) => getReferred(file, other) }),
    required,
    omit,
    pointer: type.startsWith("*"),
    ...("default" in facts && { default: facts.default }),
    ...(patchStrategy !== undefined && { patchStrategy }),
    ...(patchMergeKey !== undefined && { patchMergeKey }),
    ...(number !== undefined && { number }),
  };
}

function getReferred(file: string, reference: string): Schema {
  const found = findDefinition(...splitReference(file, reference));
  if (!found) throw new Error(`src/api/${file}.json refers to ${reference}, which is not there`);
  return found;
}

function splitReference(file: string, reference: string): [file: string, name: string] {
  const dot = reference.lastIndexOf(".");
  return dot < 0 ? [file, reference] : [reference.slice(0, dot), reference.slice(dot + 1)];
}

function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
