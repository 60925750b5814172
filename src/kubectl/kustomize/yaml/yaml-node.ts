/** Upstream: go.yaml.in/yaml/v3/yaml.go, sigs.k8s.io/kustomize/kyaml/yaml/rnode.go. */

export type NodeKind = "scalar" | "mapping" | "sequence";

/** The style of a node; `tagged` keeps the tag of the source. */
export type NodeStyle = "plain" | "double" | "single" | "literal" | "folded" | "flow" | "tagged";

interface MappingEntry {
  key: YamlNode;
  value: YamlNode;
}

/** Tags in their short form. Without a tag, the text decides. */
export const tags = {
  none: "",
  string: "!!str",
  integer: "!!int",
  float: "!!float",
  boolean: "!!bool",
  null: "!!null",
  mapping: "!!map",
  sequence: "!!seq",
} as const;

/** A part of a YAML document, with the tag and the style that decide how it is parsed again. */
export class YamlNode {
  kind: NodeKind;
  tag: string;
  value: string;
  style: NodeStyle;
  items: YamlNode[] = [];
  entries: MappingEntry[] = [];
  /** A null that a merge must not drop. */
  isKept = false;

  constructor(kind: NodeKind, tag: string = tags.none, value = "", style: NodeStyle = "plain") {
    this.kind = kind;
    this.tag = tag;
    this.value = value;
    this.style = style;
  }

  /** Replaces the node in place, so that references to it see the change. */
  assign(other: YamlNode): void {
    this.kind = other.kind;
    this.tag = other.tag;
    this.value = other.value;
    this.style = other.style;
    this.items = other.items;
    this.entries = other.entries;
  }

  copy(): YamlNode {
    const copied = new YamlNode(this.kind, this.tag, this.value, this.style);
    copied.items = this.items.map((item) => item.copy());
    copied.entries = this.entries.map(({ key, value }) => ({
      key: key.copy(),
      value: value.copy(),
    }));
    copied.isKept = this.isKept;
    return copied;
  }

  /** The value of the first entry with a key. */
  field(name: string): YamlNode | undefined {
    if (this.kind !== "mapping") return undefined;
    return this.entries.find(({ key }) => key.value === name)?.value;
  }

  removeField(name: string): void {
    const index = this.entries.findIndex(({ key }) => key.value === name);
    if (index >= 0) this.entries.splice(index, 1);
  }

  /** True if this is a string, according to the tag. */
  get isText(): boolean {
    return this.kind === "scalar" && (this.tag === tags.string || this.tag === tags.none);
  }

  get isNull(): boolean {
    return this.tag === tags.null;
  }
}

export function scalarNode(value: string, tag: string = tags.none): YamlNode {
  return new YamlNode("scalar", tag, value);
}

/** A string, whatever it looks like. */
export function stringNode(value: string): YamlNode {
  return new YamlNode("scalar", tags.string, value, value.includes("\n") ? "literal" : "plain");
}

export function mappingNode(): YamlNode {
  return new YamlNode("mapping");
}

export function sequenceNode(items: YamlNode[] = []): YamlNode {
  const node = new YamlNode("sequence");
  node.items = items;
  return node;
}

export function isMissingOrNull(node: YamlNode | undefined): node is undefined {
  return node === undefined || node.isNull;
}

/** True if a node is absent, null or an empty collection. */
export function isNilOrEmpty(node: YamlNode | undefined): boolean {
  if (node === undefined || node.isNull) return true;
  if (node.kind === "mapping") return node.entries.length === 0;
  return node.kind === "sequence" && node.items.length === 0;
}
