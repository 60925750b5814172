import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { groupVersions } from "#/api/group-versions.ts";
import type { Json } from "./open-api.ts";

/** The texts of a type and of its fields. */
interface TypeText {
  /** Empty if the texts of the fields with this type suffice: kubectl shows both. */
  readonly text: string;
  readonly fields: ReadonlyMap<string, string>;
  /** Another type, with the texts of the fields that are not described here. */
  readonly like?: string;
}

/** Every file of texts: those of a group are beside its resources, those of all groups here. */
export function descriptionFiles(): { group: string; markdown: string }[] {
  const resources = join(import.meta.dirname, "../resources");
  const folders = [
    { group: "meta", path: join(import.meta.dirname, "descriptions") },
    ...readdirSync(resources).map((group) => {
      return { group, path: join(resources, group, "descriptions") };
    }),
  ];
  return folders
    .filter(({ path }) => existsSync(path))
    .flatMap(({ group, path }) =>
      readdirSync(path).map((file) => {
        return { group, markdown: readFileSync(join(path, file), "utf8") };
      }),
    );
}

/** Weak: documents are cached as bytes, and rarely made again. */
let loaded: WeakRef<ReadonlyMap<string, TypeText>> | undefined;

/** All texts, by group and type (core.PodSpec); read on demand. */
export function descriptions(): ReadonlyMap<string, TypeText> {
  const known = loaded?.deref();
  if (known) return known;
  const read = new Map(
    descriptionFiles().flatMap(({ group, markdown }) => [...parseDescriptions(group, markdown)]),
  );
  loaded = new WeakRef(read);
  return read;
}

/**
 * Reads a file of texts: after `## Type` the text of the type, then one item for each field, as in `- name: text`.
 * `## Type like Other` takes the texts of other fields from there; paragraphs are divided by an empty line.
 */
export function parseDescriptions(group: string, markdown: string): Map<string, TypeText> {
  const sections = markdown.split(/^## /m).slice(1);
  return new Map(
    sections.map((section) => {
      const [heading = ""] = section.split("\n", 1);
      const [body = "", ...items] = section.slice(heading.length).split(/^- /m);
      const [name = "", like] = heading.split(" like ");
      const text: TypeText = {
        text: unwrap(body),
        fields: new Map(items.map(parseItem)),
        ...(like === undefined ? {} : { like: like.includes(".") ? like : `${group}.${like}` }),
      };
      return [`${group}.${name}`, text];
    }),
  );
}

function parseItem(item: string): [field: string, text: string] {
  const colon = item.indexOf(": ");
  return [item.slice(0, colon), unwrap(item.slice(colon + 2))];
}

/** One line for each paragraph. */
function unwrap(text: string): string {
  return text
    .trim()
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.replaceAll(/\s*\n\s*/g, " "))
    .join("\n\n");
}

/** A definition of OpenAPI with the texts of its type and fields, if there are any. */
export function describeDefinition(name: string, schema: Json): Json {
  const key = descriptionKey(name);
  if (key === undefined) return schema;
  const isKind = "x-kubernetes-group-version-kind" in schema;
  const { properties } = schema as { properties?: Readonly<Record<string, Json>> };
  const isList = isKind && properties?.["items"] !== undefined;
  const shared = isList ? "any list" : "any object";
  const text = isList ? sharedText(shared) : descriptions().get(key)?.text;
  const described = Object.entries(properties ?? {}).map(([field, property]) => {
    const description = fieldText(key, field) ?? (isKind ? sharedText(shared, field) : undefined);
    return [field, description ? { description, ...property } : property];
  });
  return {
    ...(text ? { description: text } : {}),
    ...schema,
    ...(properties ? { properties: Object.fromEntries(described) } : {}),
  };
}

/** The text of all objects or lists, whatever their kind, or of a field that all have. */
export function sharedText(of: "any object" | "any list", field?: string): string | undefined {
  const shared = descriptions().get(`meta.${of}`);
  return field === undefined ? shared?.text : shared?.fields.get(field);
}

function fieldText(key: string, field: string): string | undefined {
  const found = descriptions().get(key);
  return found?.fields.get(field) ?? (found?.like ? fieldText(found.like, field) : undefined);
}

const foldersByPackage: ReadonlyMap<string, string> = new Map([
  ...groupVersions.map(({ package: name, file }) => [name, file.split("/")[0] ?? ""] as const),
  ...["api.resource", "runtime", "util.intstr", "version"].map(
    (name) => [`io.k8s.apimachinery.pkg.${name}`, "meta"] as const,
  ),
]);

/** The key of a definition's texts: all versions of a group share them. Undefined for custom resources. */
export function descriptionKey(name: string): string | undefined {
  const dot = name.lastIndexOf(".");
  const home = foldersByPackage.get(name.slice(0, dot));
  return home === undefined ? undefined : `${home}.${name.slice(dot + 1)}`;
}
