import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The texts of a type and of its fields. */
export interface TypeText {
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
