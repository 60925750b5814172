/** A page with its parameters, as in the part of the URL after "#": the server never sees it. */
export interface Route {
  /** The words of the path. */
  readonly path: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

/** Reads "#/list/pods?ns=a". Anything else is a route as well; which pages exist is decided elsewhere. */
export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#?\/?/, "").split("?", 2);
  return {
    path: path.split("/").filter(Boolean).map(decoded),
    query: Object.fromEntries(new URLSearchParams(query)),
  };
}

function decoded(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}

/** The link to a page; parameters that are undefined or "" are left out. */
export function formatRoute(
  path: readonly string[],
  query: Readonly<Record<string, string | undefined>> = {},
): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [[name, value] as [string, string]],
  );
  const search = new URLSearchParams(given).toString();
  return `#/${path.map(encodeURIComponent).join("/")}${search === "" ? "" : `?${search}`}`;
}

/** The link to an object: "-" stands for the namespace of objects that have none. */
export const objectRoute = (
  key: string,
  { namespace, name }: { readonly namespace?: string | undefined; readonly name: string },
  tab?: string,
): string => formatRoute(["object", key, namespace ?? "-", name, ...(tab ? [tab] : [])]);

export const listRoute = (
  key: string,
  query: Readonly<Record<string, string | undefined>> = {},
): string => formatRoute(["list", key], query);
