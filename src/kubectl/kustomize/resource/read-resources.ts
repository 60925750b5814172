/** Upstream: sigs.k8s.io/kustomize/api/resource/factory.go. */
import { goJson } from "#/machinery/values/go-format.ts";
import { KustomizeError } from "../failure/kustomize-error.ts";
import { jsonOf } from "../yaml/node-value.ts";
import { readNodes } from "../yaml/read-nodes.ts";
import { isNilOrEmpty, type YamlNode } from "../yaml/yaml-node.ts";
import { Resource } from "./resource.ts";

/** The objects in a text; a list is replaced by its items. */
export function readResources(bytes: Uint8Array | string): Resource[] {
  const text = typeof bytes === "string" ? bytes : Buffer.from(bytes).toString("utf8");
  const waiting = readNodes(text).filter(isGood);
  const nodes: YamlNode[] = [];
  for (let node = waiting.shift(); node; node = waiting.shift()) {
    const items = listItems(node);
    if (items) waiting.push(...items.filter(isGood));
    else nodes.push(node);
  }
  return nodes.map((node) => new Resource(node));
}

/** The items of a list; undefined if the object is not a list. */
function listItems(node: YamlNode): YamlNode[] | undefined {
  const kind = node.field("kind")?.value ?? "";
  if (!kind.endsWith("List")) return undefined;
  const value = jsonOf(node) as { items?: unknown };
  if (value.items === undefined) return undefined;
  if (value.items === null) return [];
  if (Array.isArray(value.items)) return value.items.flatMap((item) => readNodes(goJson(item)));
  throw new KustomizeError(
    `expected array in ${kind}/items, but found ${typeof value.items === "object" ? "map[string]interface {}" : typeof value.items}`,
  );
}

/** Drops empty documents; others must have a kind. */
function isGood(node: YamlNode): boolean {
  if (isNilOrEmpty(node)) return false;
  checkMetadata(node);
  return true;
}

/** Throws unless an object has a kind and a name; lists need no name. */
function checkMetadata(node: YamlNode): void {
  const meta = metadataOf(node);
  if (!meta.isPresent) throw new KustomizeError("missing Resource metadata");
  if (meta.kind === "") throw new KustomizeError(`missing kind in object ${meta.text}`);
  if (meta.kind.endsWith("List") || meta.name !== "") return;
  throw new KustomizeError(`missing metadata.name in object ${meta.text}`);
}

function metadataOf(node: YamlNode): {
  isPresent: boolean;
  kind: string;
  name: string;
  text: string;
} {
  const filled = (part: YamlNode | undefined): string =>
    isNilOrEmpty(part) ? "" : (part?.value ?? "");
  const metadata = node.field("metadata");
  const parts = [node.field("apiVersion"), node.field("kind")];
  const inner = ["name", "namespace", "labels", "annotations"].map((name) => metadata?.field(name));
  const [apiVersion = "", kind = ""] = parts.map(filled);
  const [name = "", namespace = ""] = inner.map(filled);
  const [labels = "", annotations = ""] = inner.slice(2).map(goMap);
  return {
    isPresent: [...parts, ...inner].some((part) => !isNilOrEmpty(part)),
    kind,
    name,
    text: `{{${apiVersion} ${kind}} {{${name} ${namespace}} ${labels} ${annotations}}}`,
  };
}

/** A map as Go prints it. */
function goMap(node: YamlNode | undefined): string {
  const entries = (node?.entries ?? []).map(({ key, value }) => `${key.value}:${value.value}`);
  return `map[${entries.sort().join(" ")}]`;
}
