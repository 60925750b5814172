/** Upstream: sigs.k8s.io/kustomize/kyaml/kio/byteio_reader.go, kyaml/yaml/rnode.go. */
import type { Alias, Node, Scalar, YAMLMap } from "yaml";
import { AliasBudget } from "#/machinery/codec/yaml/yaml-alias-budget.ts";
import { linkAliases, parseYamlTree, yamlError } from "#/machinery/codec/yaml/yaml-document.ts";
import { isAlias, isMap, isScalar, isSeq } from "#/std/text/yaml.ts";
import { messageOf } from "../../base/errors.ts";
import { KustomizeError } from "../failure/kustomize-error.ts";
import { misplacedItem } from "./misplaced-item.ts";
import { tagOfText } from "./resolve-scalar.ts";
import {
  isMissingOrNull,
  mappingNode,
  type NodeStyle,
  sequenceNode,
  tags,
  YamlNode,
} from "./yaml-node.ts";

/** The documents of a text that are not empty; a sole list is replaced by its items. */
export function readNodes(text: string): YamlNode[] {
  const documents = splitDocuments(text.replaceAll("\r\n", "\n"));
  const nodes: YamlNode[] = [];
  for (const document of documents) {
    const node = readNode(document);
    if (isMissingOrNull(node)) continue;
    const root: YamlNode = node;
    const kind = root.field("kind")?.value;
    const items = root.field("items");
    if (documents.length === 1 && (kind === "List" || kind === "ResourceList") && items) {
      nodes.push(...items.items);
    } else nodes.push(root);
  }
  return nodes;
}

/** Splits at lines that begin with three dashes; only a comment may follow those. */
function splitDocuments(text: string): string[] {
  if (text === "") return [];
  for (const [separator] of text.matchAll(/\n---.*\n/g)) {
    const rest = separator.slice(4).trim();
    if (rest !== "" && !rest.startsWith("#")) {
      throw new KustomizeError(`invalid document separator: ${separator.trim()}`);
    }
  }
  return text.split(/\n---.*\n/);
}

/** The first document of a text; undefined if there is none. */
export function readNode(text: string): YamlNode | undefined {
  try {
    const tree = parseYamlTree(text);
    return tree.root === null ? undefined : new NodeReader(tree.root).read(tree.root);
  } catch (error) {
    const message = messageOf(error);
    const shown = misplacedItem(text, message) ?? message;
    throw new KustomizeError(`MalformedYAMLError: ${shown}`, { cause: error });
  }
}

const styles: Readonly<Record<string, NodeStyle>> = {
  QUOTE_DOUBLE: "double",
  QUOTE_SINGLE: "single",
  BLOCK_LITERAL: "literal",
  BLOCK_FOLDED: "folded",
};

/** Converts a parsed document to nodes, with aliases and merge keys resolved. */
class NodeReader {
  readonly #targets: ReadonlyMap<Alias, Node>;
  readonly #open = new Set<Alias>();
  readonly #budget = new AliasBudget();

  constructor(root: Node) {
    this.#targets = linkAliases(root);
  }

  read(node: Node | null): YamlNode {
    this.#budget.spend();
    if (isAlias(node)) return this.#throughAlias(node, (target) => this.read(target));
    if (isMap(node)) return this.#mapping(node);
    if (isSeq(node)) {
      const made = sequenceNode(node.items.map((item) => this.read(item as Node | null)));
      return withStyle(made, node);
    }
    return scalar(isScalar(node) ? node : null);
  }

  #throughAlias<T>(alias: Alias, read: (target: Node) => T): T {
    const target = this.#targets.get(alias);
    if (target === undefined) throw yamlError(`unknown anchor '${alias.source}' referenced`);
    if (this.#open.has(alias)) throw yamlError(`anchor '${alias.source}' value contains itself`);
    this.#open.add(alias);
    const value = this.#budget.within(() => read(target));
    this.#open.delete(alias);
    return value;
  }

  #mapping(map: YAMLMap): YamlNode {
    const made = withStyle(mappingNode(), map);
    const merged: YamlNode[] = [];
    for (const { key, value } of map.items as { key: Node | null; value: Node | null }[]) {
      if (isMergeKey(key)) merged.push(...this.#mergeSources(value));
      else made.entries.push({ key: this.read(key), value: this.read(value) });
    }
    for (const source of merged) mergeEntries(made, source);
    return made;
  }

  /** The mappings of a merge key, in order of precedence. */
  #mergeSources(node: Node | null): YamlNode[] {
    const sources = isSeq(node) ? (node.items as (Node | null)[]) : [node];
    return sources.map((source) => {
      const made = this.read(source);
      if (made.kind !== "mapping") {
        throw yamlError("map merge requires map or sequence of maps as the value");
      }
      return made;
    });
  }
}

function mergeEntries(into: YamlNode, source: YamlNode): void {
  for (const entry of source.entries) {
    if (into.field(entry.key.value) === undefined) into.entries.push(entry);
  }
}

function isMergeKey(node: Node | null): boolean {
  return isScalar(node) && node.value === "<<" && node.type === "PLAIN";
}

function withStyle(made: YamlNode, { flow, tag }: { flow?: boolean; tag?: string }): YamlNode {
  made.tag = made.kind === "mapping" ? tags.mapping : tags.sequence;
  if (flow === true) made.style = "flow";
  if (tag?.startsWith("!")) made.tag = tag;
  return made;
}

function scalar(source: Scalar | null): YamlNode {
  if (source === null) return new YamlNode("scalar", tags.null, "");
  const text = source.source ?? String(source.value ?? "");
  const style = styles[source.type ?? ""] ?? "plain";
  if (source.tag !== undefined) {
    const tag = source.tag.replace("tag:yaml.org,2002:", "!!");
    return new YamlNode("scalar", tag, text, "tagged");
  }
  return new YamlNode("scalar", style === "plain" ? tagOfText(text) : tags.string, text, style);
}
