import { groupVersions } from "#/api/group-versions.ts";
import { descriptionFiles, parseDescriptions, type TypeText } from "./description-files.ts";

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
