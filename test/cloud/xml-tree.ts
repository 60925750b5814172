export type XmlTree = string | { readonly [name: string]: XmlTree | readonly XmlTree[] };

/** Reads an answer of AWS as a tree; lists ("member", "item") are sorted by their text. */
export function readXml(text: string): XmlTree {
  const root: Open = { name: "", children: new Map(), text: "" };
  const stack = [root];
  for (const [, close, name = "", empty, content = ""] of text.matchAll(
    /<(\/?)([\w:.-]+)[^>]*?(\/?)>([^<]*)/g,
  )) {
    const top = stack.at(-1) ?? root;
    if (close) {
      stack.pop();
      attach(stack.at(-1) ?? root, top.name, finish(top));
    } else if (empty) {
      attach(top, name, "");
    } else {
      stack.push({ name, children: new Map(), text: content });
    }
  }
  return finish(root);
}

interface Open {
  readonly name: string;
  readonly children: Map<string, XmlTree[]>;
  readonly text: string;
}

function attach(parent: Open, name: string, child: XmlTree): void {
  const list = parent.children.get(name);
  if (list) list.push(child);
  else parent.children.set(name, [child]);
}

function finish({ children, text }: Open): XmlTree {
  if (children.size === 0) return decode(text.trim());
  const entries = [...children].map(([name, list]) => {
    const isList = name === "member" || name === "item" || list.length > 1;
    const [first = ""] = list;
    return [name, isList ? list.toSorted(byText) : first] as const;
  });
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function decode(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    lt: "<",
    gt: ">",
    quot: '"',
    apos: "'",
    amp: "&",
  };
  return text.replaceAll(/&(\w+);/g, (whole, name: string) => entities[name] ?? whole);
}

function byText(a: XmlTree, b: XmlTree): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}
