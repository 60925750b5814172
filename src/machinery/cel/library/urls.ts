import type { Library } from "../environment.ts";
import { type FunctionDecl, member, overload } from "../model/declaration.ts";
import { boolType, type CelType, listOf, mapOf, objectType, stringType } from "../type/cel-type.ts";
import { CelFault, noSuchOverload } from "../value/cel-fault.ts";
import { ArrayList } from "../value/cel-list.ts";
import { EntryMap } from "../value/cel-map.ts";
import { CelObject } from "../value/cel-object.ts";
import type { CelResult, CelValue } from "../value/cel-value.ts";
import { fixedCosts, urlCosts } from "./costs/text-costs.ts";
import {
  formatUrl,
  type GoUrl,
  parseQuery,
  parseRequestUrl,
  parseUrl,
  splitHost,
} from "./values/go-url.ts";
import { fromBytes, UrlError } from "./values/url-escape.ts";

const urlType = objectType("kubernetes.URL");

class UrlValue extends CelObject {
  override readonly type: CelType = urlType;
  readonly url: GoUrl;

  constructor(url: GoUrl) {
    super();
    this.url = url;
  }

  override equals(other: CelValue): boolean | CelFault {
    if (!(other instanceof UrlValue)) return noSuchOverload;
    return formatUrl(this.url) === formatUrl(other.url);
  }

  override toString(): string {
    return formatUrl(this.url);
  }
}

/**
 * Parts of URLs.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/cel/library/urls.go.
 */
export const urls: Library = {
  functions: [
    {
      name: "url",
      overloads: [overload("string_to_url", [stringType], urlType, toUrl)],
      ...urlCosts,
    },
    {
      name: "isURL",
      overloads: [
        overload("is_url_string", [stringType], boolType, (text) => isRequestUrl(String(text))),
      ],
    },
    accessor("getScheme", "url_get_scheme", ({ scheme }) => scheme),
    accessor("getHost", "url_get_host", ({ host }) => fromBytes(host)),
    accessor("getHostname", "url_get_hostname", (url) => splitHost(url).name),
    accessor("getPort", "url_get_port", (url) => splitHost(url).port),
    accessor("getEscapedPath", "url_get_escaped_path", ({ path }) => path),
    accessor("getQuery", "url_get_query", queryMap, mapOf(stringType, listOf(stringType))),
  ],
};

function accessor(
  name: string,
  id: string,
  get: (url: GoUrl) => CelValue,
  result: CelType = stringType,
): FunctionDecl {
  const call = (value?: CelValue) => (value instanceof UrlValue ? get(value.url) : noSuchOverload);
  return { name, overloads: [member(id, [urlType], result, call)], ...fixedCosts(1) };
}

function toUrl(text?: CelValue): CelResult {
  if (typeof text !== "string") return noSuchOverload;
  try {
    parseRequestUrl(text);
    return new UrlValue(parseUrl(text));
  } catch (error) {
    if (!(error instanceof UrlError)) throw error;
    return new CelFault(`URL parse error during conversion from string: ${error.message}`);
  }
}

/** The problem of a text as the URL of a request; undefined if it is valid. */
export function requestUrlProblem(text: string): string | undefined {
  try {
    parseRequestUrl(text);
    return undefined;
  } catch (error) {
    if (error instanceof UrlError) return error.message;
    throw error;
  }
}

const isRequestUrl = (text: string): boolean => requestUrlProblem(text) === undefined;

function queryMap(url: GoUrl): EntryMap {
  const map = new EntryMap();
  for (const [name, values] of parseQuery(url)) map.set(name, new ArrayList(values));
  return map;
}
