/** Attributes with a URL, by element. */
import { table } from "#/std/base/table.ts";

const urlAttributes: Readonly<Record<string, readonly string[]>> = table({
  a: ["href"],
  applet: ["codebase"],
  area: ["href"],
  audio: ["src"],
  base: ["href"],
  blockquote: ["cite"],
  body: ["background"],
  button: ["formaction"],
  command: ["icon"],
  del: ["cite"],
  embed: ["src"],
  form: ["action"],
  frame: ["longdesc", "src"],
  head: ["profile"],
  html: ["manifest"],
  iframe: ["longdesc", "src"],
  img: ["longdesc", "src", "usemap"],
  input: ["src", "usemap", "formaction"],
  ins: ["cite"],
  link: ["href"],
  object: ["classid", "codebase", "data", "usemap"],
  q: ["cite"],
  script: ["src"],
  source: ["src"],
  video: ["poster", "src"],
});

/**
 * Comments, elements with raw text content (with their start tag separate), and start tags. An unclosed one ends with
 * the page or at the next tag, so that any text needs only a few passes.
 */
const markup =
  /<!--[\s\S]*?(?:-->|$)|(<(script|style|textarea|title|xmp|iframe|noembed|noframes|noscript)(?=[\s/>])(?:"[^"]*"|'[^']*'|[^<>"'])*>)([\s\S]*?)(?=<\/\2[\s/>]|$)|<([a-z][^\s/<>]*)(?:"[^"]*"|'[^']*'|[^<>"'])*>/gi;

/** Rewrites the links of a page. All other text is unchanged. */
export function rewriteHtml(html: string, rewrite: (link: string) => string): string {
  return html.replace(
    markup,
    (whole: string, rawTag?: string, rawName?: string, content?: string, name?: string) => {
      if (rawTag !== undefined)
        return `${rewriteTag(rawTag, rawName ?? "", rewrite)}${content ?? ""}`;
      return name === undefined ? whole : rewriteTag(whole, name, rewrite);
    },
  );
}

function rewriteTag(tag: string, name: string, rewrite: (link: string) => string): string {
  const attributes = urlAttributes[name.toLowerCase()];
  if (!attributes) return tag;
  return tag.replace(
    /(\s)([^\s"'<>/=]+)(\s*=\s*)("[^"]*"|'[^']*'|[^\s"'>]+)/g,
    (whole, space: string, key: string, equals: string, quoted: string) => {
      if (!attributes.includes(key.toLowerCase())) return whole;
      const value = unescapeHtml(/^["']/.test(quoted) ? quoted.slice(1, -1) : quoted);
      const link = rewrite(value);
      return link === value ? whole : `${space}${key}${equals}"${escapeHtml(link)}"`;
    },
  );
}

const entities: Readonly<Record<string, string>> = table({
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#34;": '"',
  "&#39;": "'",
});

function unescapeHtml(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|#34|#39);/g, (entity) => entities[entity] ?? entity);
}

function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&#34;")
    .replaceAll("'", "&#39;");
}
