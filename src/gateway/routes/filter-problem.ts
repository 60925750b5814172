import type { HeaderFilter, PathModifier, RouteFilter } from "../api/gateway-objects.ts";
import { connectionFields } from "../table/forwarded-fields.ts";

/*
 * The API lets texts of filters have line ends, which would end a field, or a request: what follows would be taken for
 * another one, on a connection that routes of others use as well.
 */

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Characters beyond Latin-1 are written by their low byte, which may be a line end. */
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;
const pathText = /^\/[\x21-\x7e]*$/;
const hostText = /^[A-Za-z0-9._-]+$/;

/** Fields that say where a message ends, or how its connection is used: the gateway's own business. */
const framingFields: ReadonlySet<string> = new Set([...connectionFields, "content-length"]);

/** Why the texts of a filter can't be written into a request or response; undefined if they can. Pure. */
export function filterProblem(filter: RouteFilter): string | undefined {
  const { requestHeaderModifier, responseHeaderModifier, urlRewrite, requestRedirect, cors } =
    filter;
  const hosts = [urlRewrite?.hostname, requestRedirect?.hostname];
  const paths = [urlRewrite?.path, requestRedirect?.path].flatMap(textOf);
  const lists = [cors?.allowMethods, cors?.allowHeaders, cors?.exposeHeaders];
  const words = [...lists.flatMap((list) => list ?? []), requestRedirect?.scheme];
  return (
    headerProblem(requestHeaderModifier) ??
    headerProblem(responseHeaderModifier) ??
    firstOther("hostname", hosts, hostText) ??
    firstOther("path", paths, pathText) ??
    firstOther("word", words, token)
  );
}

function headerProblem(filter: HeaderFilter | undefined): string | undefined {
  const { set = [], add = [], remove = [] } = filter ?? {};
  const pairs = [...set, ...add];
  const names = [...pairs.map(({ name }) => name), ...remove];
  const values = pairs.map(({ value }) => value);
  const framing = names.find((name) => framingFields.has(name.toLowerCase()));
  if (framing !== undefined) return `header ${framing} can't be changed`;
  return firstOther("header name", names, token) ?? firstOther("header value", values, fieldValue);
}

const textOf = (path: PathModifier | undefined): (string | undefined)[] => [
  path?.replaceFullPath,
  // The prefix may be replaced by nothing.
  path?.replacePrefixMatch === "" ? undefined : path?.replacePrefixMatch,
];

/** What is wrong with the first text that differs from a form. */
function firstOther(
  what: string,
  texts: readonly (string | undefined)[],
  form: RegExp,
): string | undefined {
  const other = texts.find((text) => text !== undefined && !form.test(text));
  return other === undefined ? undefined : `${what} ${JSON.stringify(other)} can't be sent`;
}
